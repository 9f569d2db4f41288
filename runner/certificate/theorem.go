package certificate

import (
	"fmt"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

// Unmet lists what the paper's Theorem 1 asks for and the run does not have, in words
// with the run's values. The accuracy ε is not the run's, so what follows from it,
// as λ0 and the batches, is not in it: see dro.Theorem1. An empty list says that the
// theorem's bound is of this run, if its assumptions on the losses hold.
func Unmet(m *runner.Meta) []string {
	list := []string{}
	s := &m.Spec
	lack := func(there bool, format string, args ...any) {
		if there {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	method, err := dro.Find(s.Algorithm())
	if err != nil || !method.Theorem1 {
		return []string{fmt.Sprintf("the steps of SFK-DRO, for it is of no other method (%s)",
			s.Algorithm())}
	}
	lack(s.Momentum != 0, "no momentum (%g)", s.Momentum)
	lack(s.WeightDecay != 0, "no weight decay (%g)", s.WeightDecay)
	lack(s.ClipFor(method) != 0, "gradients that are not clipped (%g)", s.ClipFor(method))
	drops := s.LRDropEpoch > 0 && s.LRDropEpoch < s.Epochs && s.LRDrop != 1
	lack(drops, "one step size (%g times it from epoch %d on)", s.LRDrop, s.LRDropEpoch+1)
	lack(s.Text("share_batch") == "true", "draws of their own for z (share_batch)")
	set, err := s.Set()
	if err != nil {
		return list
	}
	assumed := dro.Assumptions{Rho: s.Rho, Bound: s.EtaMax, Lipschitz: 1, Smoothness: 1}
	c, err := dro.ConstantsOn(set, m.Box, assumed)
	if err != nil {
		return append(list, fmt.Sprintf("a set that is smooth as cressie-read is (%s)", set.Name()))
	}
	own, _ := spec.FindSetting("c")
	value, _ := own.Number(s)
	now := value.Or(0)
	least := 2*dro.MagnitudeOf(c.Diameter) + c.Lz
	lack(dro.MagnitudeOf(now) < least, "C of at least D² L_z = %v on this box (%g)", least, now)
	lack(s.LR != 1/(2*now), "α = 1/(2C) = %.3g (%g)", 1/(2*now), s.LR)
	return list
}
