package lab

import (
	"slices"

	"drolab/tui/kit"
)

// Choice is a setting of a page that the user changes by keys. It is kept for the next start.
type Choice struct {
	Name string
	Get  func() []string // nil is the default
	// Set takes the parts of a value that it knows and leaves out the rest, since anybody may have
	// changed the file.
	Set func([]string)
}

// Choices are the choices of a page.
type Choices []Choice

// OneOf returns the choice of one of some words, of which the first is the default. then is called
// when it is set.
func OneOf[T ~int](name string, words []string, at *T, then func()) Choice {
	return Choice{Name: name,
		Get: func() []string {
			if *at == 0 {
				return nil
			}
			return words[*at : *at+1]
		},
		Set: func(value []string) {
			*at = 0
			if len(value) == 1 {
				*at = T(max(0, slices.Index(words, value[0])))
			}
			then()
		}}
}

// Get returns the values of the choices that are not at their defaults.
func (c Choices) Get() map[string][]string {
	values := map[string][]string{}
	for _, choice := range c {
		if v := choice.Get(); len(v) > 0 {
			values[choice.Name] = v
		}
	}
	return values
}

// Set sets all choices; those without a value are set to their defaults.
func (c Choices) Set(values map[string][]string) {
	for _, choice := range c {
		choice.Set(values[choice.Name])
	}
}

// Key returns the row of the key table that sets the choices to their defaults.
func (c Choices) Key() kit.Key {
	return kit.Key{Keys: kit.On("0"), Help: "reset the page's view to its defaults",
		Why: func() string { return kit.Unless(len(c.Get()) > 0, "The view is at its defaults") },
		Act: kit.Just(func() { c.Set(nil) })}
}
