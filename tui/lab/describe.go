package lab

import (
	"fmt"

	"drolab/runner/record"
)

// Describe says which run it is, for a question about it: its method and seed, its preset, its
// state, its name and, of another machine, the box. Names alone differ in a few letters.
func Describe(r *record.Run) string {
	s := &r.Meta.Spec
	preset := r.Meta.Preset
	if preset == "" {
		preset = s.Dataset
	}
	text := fmt.Sprintf("%s, seed %d, %s, %s: %s", s.Algorithm(), s.Seed, preset,
		StateWord(r.Status()), r.Meta.ID)
	if far := r.Mirrored(); far != nil {
		text += " on box " + far.Box
	}
	return text
}
