"""What words, numbers, dates and names mean in the languages of documents; nothing of pages or schemas."""
