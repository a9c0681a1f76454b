"""PDF files by PDFium: opened, drawn, cut, read. In a sandbox only."""
