resource "null_resource" "other" {}
