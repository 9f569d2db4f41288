package measure

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"drolab/runner/data"
)

// Twin columns may differ in a thousandth of the rows. Two columns of rare events are not twins.
func TestTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	first := column("first", func(int) float64 { return float64(rng.IntN(50)) })
	differ := func(n int) data.Sampled {
		return column(fmt.Sprint(n), func(i int) float64 {
			if i < n {
				return -1
			}
			return first.Numbers[i]
		})
	}
	rare := func(at int) data.Sampled {
		return column("rare", func(i int) float64 { return float64((4000 - i + at) / 4000) })
	}
	for _, c := range []struct {
		name string
		b    data.Sampled
		a    data.Sampled
		want string
	}{
		{"equal", first, first, "are equal in 100 % of rows"},
		{"nearly", first, differ(4), "are equal in 99.9 % of rows"},
		{"not quite", first, differ(5), ""},
		{"other names", first, column("x", func(i int) float64 { return 7 - 3*first.Numbers[i] }),
			"say the same in other words"},
		{"one other name is of two", first, column("x",
			func(i int) float64 { return max(first.Numbers[i], 1) }), ""},
		{"two rare events", rare(1), rare(3), ""},
		{"two constants", column("x", func(int) float64 { return 1 }),
			column("y", func(int) float64 { return 1 }), ""},
		{"two identifiers", column("x", func(i int) float64 { return float64(i) }),
			column("y", func(i int) float64 { return float64(3 * i) }), ""},
	} {
		got := ""
		if list := twins(columns(c.a, c.b)); len(list) > 0 {
			got = list[0].words[2].(string)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A column that is kept beside its use as the group is no twin of itself.
func TestKeptColumnIsNoTwin(t *testing.T) {
	sex := column("sex", func(i int) float64 { return float64(i / 2 % 2) })
	group := sex
	group.Role = data.AsGroup
	if list := keptTwins(columns(sex, group)); len(list) > 0 {
		t.Errorf("it is: %v", list)
	}
	copied := sex
	copied.Name = "gender"
	if list := keptTwins(columns(copied, group)); len(list) != 1 {
		t.Errorf("the twin of a group: %v", list)
	}
}
