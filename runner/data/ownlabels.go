package data

import (
	"errors"
	"fmt"
	"slices"
)

// Own has the columns of a user's own files that are not features.
type Own struct {
	Label  *Factor
	Groups []*Factor // crossed with one another
	Cells  bool      // and with the label
	// Members are groups that may overlap: see Member. Without Groups, the groups to train on are
	// the label × whether a sample is in any of them.
	Members []*Factor
	Keys    *Keys // of split_by=; nil: it is not given

	ByGroup bool // see Dataset
	Fitted  bool // fitted to other data: there may be one class only
}

// Dataset returns a Dataset without sources, and the marks of all samples.
func (o Own) Dataset() (*Dataset, Marks, error) {
	if len(o.Label.Values) < 2 && !o.Fitted {
		return nil, Marks{}, fmt.Errorf("%q has one value only: a label needs two", o.Label.name)
	}
	if o.Label.continuous() && !o.Fitted {
		return nil, Marks{}, fmt.Errorf("%q has %d values, all numbers, as %s: %s", o.Label.name,
			len(o.Label.Values), o.Label.Values[len(o.Label.Values)/2], NoRegression)
	}
	d := &Dataset{Classes: o.Label.Values}
	m := Marks{Labels: o.Label.Codes, Groups: o.Label.Codes}
	if o.Keys != nil {
		d.keys, d.SplitBy, m.Keys = o.Keys, o.Keys.asked, o.Keys.together()
	}
	for _, f := range slices.Concat([]*Factor{o.Label}, o.Groups) {
		if f.note != "" {
			d.Notes = append(d.Notes, f.note)
		}
	}
	if len(o.Members) > 0 {
		some, err := o.overlap(d, &m)
		if err != nil {
			return nil, Marks{}, err
		}
		if len(o.Groups) == 0 {
			o.Groups, o.Cells = []*Factor{some}, true
		}
	}
	if len(o.Groups) == 0 {
		if o.Cells {
			return nil, Marks{}, errors.New("cells=yes is label × group: name the group too")
		}
		return d, m, nil
	}
	all, err := crossed(o.Groups)
	if err == nil && o.Cells {
		given := all
		if all, err = crossed([]*Factor{o.Label, given}); err == nil {
			d.Cells = newCells(all, o.Label, given)
		}
	}
	if err != nil {
		return nil, Marks{}, err
	}
	d.Groups, d.ByGroup, m.Groups = all.Values, o.ByGroup, all.Codes
	d.Unknown = all.missing
	return d, m, nil
}

// NoRegression says why a label cannot be continuous, and the remedy.
const NoRegression = "a continuous label needs regression, but only classes are predicted: " +
	"make classes of it, such as above and below a number"
