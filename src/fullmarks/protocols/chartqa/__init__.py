"""ChartQA: relaxed accuracy of answers about charts."""
