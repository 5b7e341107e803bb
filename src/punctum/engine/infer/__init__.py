"""What files say of themselves: their columns, and the promises that their rows keep."""
