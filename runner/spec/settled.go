package spec

import (
	"slices"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data"
)

// autoConvolution is the value of convolution that SettleConvolution replaces.
const autoConvolution = "auto"

func convolutions() []string { return append([]string{autoConvolution}, nn.Convolutions()...) }

// SettleConvolution replaces the convolution auto by what it comes to for the model and its
// precision. A record says that, so that a run can be repeated whatever auto is later.
func (s *Spec) SettleConvolution() {
	if s.Convolution == autoConvolution {
		s.Convolution = nn.FasterConvolution(s.Model, s.Precision)
	}
}

// Settled returns the Spec with the values that its words "auto" and "paper" come to. Specs that
// are then equal are one configuration.
func (s Spec) Settled() Spec {
	s.SettleConvolution()
	if ratios := s.Imbalance.Ratios(s.Dataset); ratios == nil {
		s.Imbalance = Imbalance{word: noImbalance}
	} else if slices.Equal(ratios, data.PaperImbalance()) && !s.Imbalance.Drawn() {
		s.Imbalance = Imbalance{word: paperImbalance}
	}
	s.LRZ = dro.Fixed(s.LRZ.Or(s.LR))
	if p, err := s.Problem(); err == nil {
		s.Coordinates = string(p.Coordinates)
		s.LambdaMax, s.EtaMin = dro.Fixed(p.Box.Lambda[1]), dro.Fixed(p.Box.Eta[0])
	}
	return s
}
