"""Tables of any kind as blocks of columns, and the examples in them."""
