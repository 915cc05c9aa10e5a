"""What students do in place of the right steps, a module for each exercise."""
