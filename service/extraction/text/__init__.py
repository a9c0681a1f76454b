"""What a text stands for, however it is written: keys to compare by, the numbers and dates it may be."""
