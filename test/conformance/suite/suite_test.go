// Package suite builds the public conformance suite of the Gateway API, unmodified, as a test binary.
package suite

import (
	"testing"

	"sigs.k8s.io/gateway-api/conformance"
)

func TestConformance(t *testing.T) { conformance.RunConformance(t) }
