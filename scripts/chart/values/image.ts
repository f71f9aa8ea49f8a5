/**
 * The controller's image and the container's security settings below controller.image. A values
 * file that pins ingress-nginx's image would start the wrong program: such a pin is recognised and
 * ignored.
 */
import { copiedFlag, flag, oneOf, seccompProfile, text, version, whole } from "../shape.ts";
import { section } from "../value.ts";

const image = section("controller.image");
const notTheirs =
  "An image, tag or digest of ingress-nginx (a path that ends in ingress-nginx/controller or nginx-ingress-controller, a tag like v1.15.1) is ignored, and NOTES say so.";

export const controllerImage = [
  image.noMeaning(
    "chroot",
    false,
    flag,
    "There is no chroot variant. To keep the API token away from nginx, set sluice.nginxContainer.enabled.",
  ),
  image.differs(
    "registry",
    undefined,
    text,
    "Registry of this image, in place of global.image.registry.",
    "A registry of the Kubernetes project is ignored, and global.image.registry counts. Any other registry needs a copy of the image sluice/controller.",
  ),
  image.differs("repository", undefined, text, "Whole path of the image, in place of registry and image.", notTheirs),
  image.differs("image", "sluice/controller", text, "Path of the image below the registry.", notTheirs),
  image.differs("tag", "", version, "Tag of the image. Default: the chart's appVersion.", notTheirs),
  image.differs("digest", "", text, "Digest of the image, which follows the tag.", notTheirs),
  image.noMeaning(
    "digestChroot",
    "sha256:af31d00c9d82c612896b380a9003bd36843b7647b98e4588251c66325317bc72",
    text,
    "There is no chroot variant.",
  ),
  image.same("pullPolicy", "IfNotPresent", oneOf("Always", "IfNotPresent", "Never"), "Pull policy of the image."),
  image.same("runAsNonRoot", true, copiedFlag, "The kubelet refuses to start the container as root."),
  image.same("runAsUser", 101, whole, "User id of the container; the image's own."),
  image.same("runAsGroup", 82, whole, "Group id of the container; the image's own."),
  image.same("allowPrivilegeEscalation", false, copiedFlag, "Whether a program in the container may gain privileges."),
  section("controller.image.seccompProfile").same(
    "type",
    "RuntimeDefault",
    seccompProfile,
    "The container's seccomp profile.",
  ),
  image.differs(
    "readOnlyRootFilesystem",
    true,
    copiedFlag,
    "Makes the container's root file system read-only.",
    "On by default. The controller writes only to emptyDir volumes at /run/sluice, /tmp, /var/log and /etc/ingress-controller, so no further mounts are needed.",
  ),
];
