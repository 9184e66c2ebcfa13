"""What every room needs and what knows no mechanics: checked arguments, extras, texts, progress."""
