"""Word streams against segmented references: tokens, alignment and scoring."""
