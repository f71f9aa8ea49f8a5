resource "kubernetes_ingress_v1" "shop" {
  metadata {
    name = "shop"
  }
}
