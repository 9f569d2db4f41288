package run

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"drolab/runner/record"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

func labelCommand(tr *Trainer) *cobra.Command {
	var note string
	var tags []string
	var archive, back bool
	c := &cobra.Command{
		Use: "label RUN...", Short: "Label runs with a note or tags, or archive them",
		Long: `Label runs. A note is one line of text, a tag one word; --tag=-WORD removes a tag. Archived
runs stay where they are, but the Runs page lists them only if its filter has archived:true.
Labels are kept in label.json in the run's folder, which training never reads. Without flags
the command prints the labels.`,
		Example: "drolab label latest --note 'the good one' --tag paper\n" +
			"drolab label latest --tag=-paper --archive",
		Args:              console.OneOrMore("a run", "drolab label latest --tag paper"),
		ValidArgsFunction: tr.CompleteRuns,
		RunE: func(c *cobra.Command, args []string) error {
			change := func(l *record.Label) {
				if c.Flags().Changed("note") {
					l.Note = strings.TrimSpace(note)
				}
				l.EditTags(tags)
				l.Archived = (l.Archived || archive) && !back
			}
			if text := append([]string{note}, tags...); !utf8.ValidString(strings.Join(text, " ")) {
				return fmt.Errorf("%q: a note and tags must be UTF-8", text)
			}
			return console.TryAll(args, func(id string) error {
				r, err := tr.Find(id)
				if err == nil && c.Flags().NFlag() > 0 {
					err = r.Relabel(change)
				}
				if err == nil {
					r, err = tr.Find(r.Meta.ID)
				}
				if err == nil {
					tr.PrintLine("%s: %s", r.Meta.ID, cmp.Or(r.Label().String(), "no label"))
				}
				return err
			})
		},
	}
	f := c.Flags()
	f.StringVar(&note, "note", "", "one line of text; '' removes it")
	f.StringSliceVar(&tags, "tag", nil, "a word to add, or -WORD to remove it")
	f.BoolVar(&archive, "archive", false, "archive the run")
	f.BoolVar(&back, "unarchive", false, "bring the run back from the archive")
	console.TakeAlone(c, "archive", "unarchive")
	return c
}
