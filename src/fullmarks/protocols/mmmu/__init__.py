"""MMMU: letters or raw responses to college questions with images, by subject and domain."""
