package dataset

import (
	"drolab/runner/internal/room"
)

// Finish completes a dataset that a provider has opened, as the options ask for.
func Finish(d *Dataset, p *Provider, o Options) error {
	d.Shape = d.Train.Shape()
	d.ByGroup = d.ByGroup || p.ByGroup
	if d.Grouped = d.Groups != nil; !d.Grouped {
		d.Groups = d.Classes
	}
	// The order is the indices of the samples as kept, held out and shuffled.
	err := room.Ask(12*float64(d.Train.Len()), "the order of the samples")
	if err == nil {
		err = d.encoded(o.Encoder)
	}
	if err == nil {
		err = d.Restrict(o)
	}
	if err == nil && o.Encoder == nil {
		err = d.trainable()
	}
	if err != nil {
		return err
	}
	if p.Pack != nil && !o.Rows && !o.Glance {
		p.Pack(d)
	}
	d.Mislabel(o.LabelNoise, o.Seed)
	return nil
}
