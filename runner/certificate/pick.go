package certificate

import (
	"slices"

	"drolab/dro"
	"drolab/runner/data"
	"drolab/runner/measure"
)

// How much a Pick keeps, whatever the size of the split.
const (
	mostOfPart  = 200     // samples of one part
	mostOfParts = 2000    // samples of the classes' and groups' parts together
	mostSide    = 64      // pixels of a picture: more than a screen has room for
	mostBytes   = 1 << 24 // of pictures or columns
)

// Pick is the part of a View that is kept: the heaviest samples of each part of the split. Its size
// is bounded.
type Pick struct {
	Dataset string
	Step    int64
	Split   string
	Shape   data.Shape
	Size    int // of the split
	Classes []string
	Groups  []string // none where the classes are all that is known
	Encoder data.Encoder
	Notes   []string
	Set     dro.Set
	Radii   []float64 // ascending; one that means nothing if the set has no radius
	Risks   []float64 // the risk of the exact worst case at each
	Totals
	Parts   []Part // the first is the whole split
	Samples []Sample
}

// Part is the whole split, or the samples of one kind.
type Part struct {
	Name    string // of the class or group; "" for the first two
	Kind    Kind
	Size    int   // of the part
	Samples []int // places in Pick.Samples, the heaviest first
}

// Kind is what a part consists of.
type Kind int

// The kinds of parts.
const (
	All   Kind = iota
	Wrong      // samples with a wrong prediction
	Class      // samples with one label
	Group
)

// Sample is a sample that was picked.
type Sample struct {
	Row               int // its place in its files, from 0
	Label, Prediction int
	Groups            []int // in which it is measured
	Loss              float64
	Ratios            []float64 // at each radius
	Picture           *Picture  // nil if it is no picture, or beyond mostBytes
	Features          []float32 // of a table whose columns are known; else nil
}

// Wrong reports whether the prediction is wrong.
func (s *Sample) Wrong() bool { return s.Label != s.Prediction }

// Pick returns the heaviest samples, with their ratios at some radii, which are ascending. The
// samples must have labels.
func (l *View) Pick(radii []float64) (*Pick, error) {
	d := l.Data
	p := &Pick{
		Dataset: d.Name, Step: l.Step, Split: l.Split, Shape: d.Shape, Size: l.Src.Len(),
		Classes: d.Classes, Groups: d.Measured(), Encoder: d.Encoder, Notes: d.Notes,
		Set: l.Set, Radii: radii, Totals: l.Totals(),
	}
	if !l.Set.HasRadius() {
		p.Radii = radii[:1]
	}
	kept := p.fillParts(l)
	for _, i := range kept {
		p.Samples = append(p.Samples, Sample{Row: l.Rows[i], Label: l.Labels[i],
			Groups: l.In(measure.PerGroup, i), Prediction: l.Predictions[i], Loss: l.Losses[i]})
	}
	for _, rho := range p.Radii {
		ratios, worst, err := l.Weigh(rho)
		if err != nil {
			return nil, err
		}
		p.Risks = append(p.Risks, worst.Risk)
		for k, i := range kept {
			p.Samples[k].Ratios = append(p.Samples[k].Ratios, ratios[i])
		}
	}
	p.addContents(l.Src, kept)
	return p, nil
}

// fillParts fills the parts, and lists the samples that are in at least one, the heaviest first.
func (p *Pick) fillParts(l *View) (kept []int) {
	p.Parts = []Part{{Kind: All}, {Kind: Wrong}}
	for _, name := range p.Classes {
		p.Parts = append(p.Parts, Part{Name: name, Kind: Class})
	}
	for _, name := range p.Groups {
		p.Parts = append(p.Parts, Part{Name: name, Kind: Group})
	}
	most := max(1, min(mostOfPart, mostOfParts/(len(p.Classes)+len(p.Groups))))
	for _, i := range l.Order() {
		before := len(kept)
		take := func(part *Part, most int) {
			if part.Size++; len(part.Samples) >= most {
				return
			}
			part.Samples = append(part.Samples, before)
			kept = append(kept[:before], i)
		}
		take(&p.Parts[0], mostOfPart)
		if l.Predictions[i] != l.Labels[i] {
			take(&p.Parts[1], mostOfPart)
		}
		take(&p.Parts[2+l.Labels[i]], most)
		if p.Groups != nil {
			for _, g := range l.In(measure.PerGroup, i) {
				take(&p.Parts[2+len(p.Classes)+g], most)
			}
		}
	}
	p.Parts = slices.DeleteFunc(p.Parts, func(part Part) bool {
		return part.Kind != All && part.Size == 0
	})
	return kept
}

// addContents adds the pictures or features of the samples, the heaviest first, until mostBytes are
// used.
func (p *Pick) addContents(src data.Source, kept []int) {
	left := mostBytes
	for k, i := range kept {
		s := &p.Samples[k]
		switch {
		case Pictured(p.Shape):
			s.Picture = PictureOf(src, i).Within(mostSide, mostSide)
			left -= len(s.Picture.RGB)
		case len(p.Encoder.Columns) > 0:
			s.Features = make([]float32, p.Shape.Len())
			src.Read(s.Features, i)
			left -= 4 * len(s.Features)
		}
		if left < 0 {
			return
		}
	}
}
