"""MathVista: mathematics in images, scored from answers that were taken out of responses before."""
