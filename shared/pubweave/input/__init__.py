"""What users submit: lists of identifiers and of addresses, read as they are written."""
