"""Downloads and exports of learning platforms: names, times and tables in their formats."""
