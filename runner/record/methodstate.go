package record

import (
	"fmt"

	"drolab/dro"
	"drolab/runner/lists"
	"drolab/runner/measure"
)

// methodState is the JSON form of a dro.State. A run that diverges has numbers that are not finite,
// which measure.Number can hold. Flags are packed into bits, the first one in the lowest place.
type methodState struct {
	Numbers map[string]measure.Number `json:"numbers"`
	Flags   map[string]bits           `json:"flags,omitempty"`

	Lists map[string][]measure.Number `json:"lists,omitempty"`
}

type bits struct {
	Count int    `json:"count"`
	Bits  []byte `json:"bits"`
}

func encodeMethod(s *dro.State) *methodState {
	if s == nil {
		return nil
	}
	m := &methodState{
		Numbers: mapValues(s.Numbers, measure.Num),
		Flags:   map[string]bits{},
		Lists: mapValues(s.Lists, func(list []float64) []measure.Number {
			return lists.Map(list, measure.Num)
		}),
	}
	for name, flags := range s.Flags {
		b := bits{len(flags), make([]byte, (len(flags)+7)/8)}
		for i, f := range flags {
			if f {
				b.Bits[i/8] |= 1 << (i % 8)
			}
		}
		m.Flags[name] = b
	}
	return m
}

// mapValues returns a map with the same keys, whose values are converted by to.
func mapValues[A, B any](from map[string]A, to func(A) B) map[string]B {
	m := make(map[string]B, len(from))
	for name, v := range from {
		m[name] = to(v)
	}
	return m
}

// decode returns the state, or an error where the number of flags does not fit their bytes.
func (m *methodState) decode() (*dro.State, error) {
	s := &dro.State{
		Numbers: mapValues(m.Numbers, measure.Number.Float),
		Flags:   map[string][]bool{},
		Lists: mapValues(m.Lists, func(list []measure.Number) []float64 {
			return lists.Map(list, measure.Number.Float)
		}),
	}
	for name, b := range m.Flags {
		if b.Count < 0 || len(b.Bits) != (b.Count+7)/8 {
			return nil, fmt.Errorf("flags %.40q: %d bytes for %d flags", name, len(b.Bits), b.Count)
		}
		flags := make([]bool, b.Count)
		for i := range flags {
			flags[i] = b.Bits[i/8]>>(i%8)&1 == 1
		}
		s.Flags[name] = flags
	}
	return s, nil
}
