"""Where a value may stand: beside a label, under a caption, in a party's block, in an entry of a form."""
