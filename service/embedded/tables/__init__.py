"""Rows of arrays: headers, columns, wrapped rows, lists, and whether rows agree with themselves."""
