-- Names the values that stand beside the records in the same memory. Everything that writes,
-- reads or skips them takes the names from here.
return {
  -- Rises with each set of changes. Its name is one letter, because each request hashes it.
  generation = "g",
  -- Rises with each write of the controller.
  writing = "writing",
  -- Is true when nginx is about to end, so that each answer closes its connection.
  closing = "closing",
}
