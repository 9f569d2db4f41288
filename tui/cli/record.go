package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"drolab/presets/recorded"
	"drolab/runner/record"

	"github.com/spf13/cobra"
)

func (a *app) recordCommand() *cobra.Command {
	var into string
	c := &cobra.Command{
		Use: "record RUN...", Short: "Pack finished runs into small files, to keep and to pass on",
		Long: `Pack finished runs into small files, RUN` + record.PackedExt + ` each: what made the run, all its evaluations, some
hundred steps and its summary, without checkpoints. The same run gives the same bytes. show, compare and
report take such a file in place of RUN, and the runs that come with the program as recorded:paper or
recorded:paper/RUN. RUN is as in compare.`,
		Example:           "drolab record paper-gentle --into kept\ndrolab compare kept/*.tar.gz",
		Args:              atLeastOne("some runs", "drolab record latest"),
		ValidArgsFunction: a.completeRead,
		RunE: func(_ *cobra.Command, args []string) error {
			runs, err := a.findSeveral(args)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(into, 0o755); err != nil {
				return err
			}
			var list failures
			for _, r := range runs {
				list = list.and(a.pack(into, r))
			}
			return list.orNil()
		},
	}
	c.Flags().StringVar(&into, "into", ".", "folder of the files")
	return c
}

// pack writes one packed run, whole or not at all.
func (a *app) pack(into string, r *record.Run) error {
	f, err := os.CreateTemp(into, ".packing-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := record.Pack(f, r); err != nil {
		return err
	}
	size, err := f.Seek(0, 2)
	if err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	name := filepath.Join(into, r.Meta.ID+record.PackedExt)
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s: %.1f kB\n", clean(name), float64(size)/1e3)
	return nil
}

// apart returns the runs that a word means which lie in no folder of runs; ok is
// false for other words.
func apart(word string) (runs []*record.Run, ok bool, err error) {
	switch {
	case recorded.Is(word):
		runs, err = recorded.Find(word)
		return runs, true, err
	case strings.HasSuffix(word, record.PackedExt):
		r, err := record.ReadPacked(word)
		return []*record.Run{r}, true, err
	}
	return nil, false, nil
}

// findToRead is find for commands that only read: the run may lie apart.
func (a *app) findToRead(word string) (*record.Run, error) {
	runs, ok, err := apart(word)
	switch {
	case !ok:
		return a.find(word)
	case err != nil:
		return nil, err
	case len(runs) > 1:
		return nil, fmt.Errorf("%s: %d runs have such a name: give more of it, as in "+
			"%s", word, len(runs), runs[0].Dir)
	}
	a.saw(runs...)
	return runs[0], nil
}
