package look

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"drolab/tui/cell"
	"drolab/tui/cli/console"
)

// mistake is one of the mistakes that people make with tables, and the warning of `data show` about
// it.
type mistake struct {
	name    string
	train   string
	test    string // the test table, if any
	options string // TEST stands for the path of the test table
	want    string // a part of a line or of the error; empty: there is no warning
	remedy  string // options that mend it; empty: the file must be changed
}

// noMistake is the name of the case without a mistake.
const noMistake = "none"

// rows returns a table: the header and n lines below it.
func rows(header string, n int, of func(i int) string) string {
	var b strings.Builder
	if header != "" {
		b.WriteString(header + "\n")
	}
	for i := range n {
		b.WriteString(of(i) + "\n")
	}
	return b.String()
}

// noise returns a number in [0, n) that looks random, with another sequence over i for each k.
func noise(i, k, n int) int {
	h := uint64(i+1)*0x9e3779b97f4a7c15 + uint64(k)*0xbf58476d1ce4e5b9
	h = (h ^ h>>30) * 0x94d049bb133111eb
	return int((h ^ h>>31) % uint64(n))
}

// plain returns a table of two numbers and a label, with one more column in front.
func plain(name string, of func(i int) string) string {
	return rows(name+",a,b,label", 400, func(i int) string {
		return fmt.Sprintf("%s,%d,0.%04d,%d", of(i), noise(i, 1, 5000), noise(i, 2, 10000),
			noise(i, 3, 2))
	})
}

// adult returns a table in the form of adult.data. With a full stop after the label and a first
// line that is no sample, it has the form of adult.test.
func adult(n, seed int, end string) string {
	work, sex := []string{"Private", "State-gov", "?"}, []string{"Male", "Female"}
	return rows("", n, func(i int) string {
		return fmt.Sprintf("%d, %s, %d, %s, %s%s", 17+noise(i, seed, 70), work[noise(i, seed+1, 3)],
			10000+noise(i, seed+2, 1e6), sex[noise(i, seed+3, 2)],
			[]string{"<=50K", ">50K"}[noise(i, seed+4, 2)], end)
	})
}

// label returns the label of row i of plain.
func label(i int) int { return noise(i, 3, 2) }

// mistakes returns the cases of docs/data.md, in the order of that page.
func mistakes() []mistake {
	word := func(i int) string { return []string{"low", "high"}[label(i)] }
	semicolons := strings.NewReplacer(",", ";", "!", ",")
	latin := strings.NewReplacer("é", "\xe9", "è", "\xe8")
	town := func(i int) string { return []string{"Orléans", "Orlèans"}[noise(i, 4, 2)] }
	wide := new(bytes.Buffer)
	binary.Write(wide, binary.LittleEndian, utf16.Encode([]rune("\ufeff"+plain("town", town))))
	clean := plain("x", func(i int) string { return fmt.Sprint(noise(i, 4, 9)) })
	half := strings.SplitAfter(clean, "\n")
	return []mistake{
		{name: "the label a second time, in words", train: plain("income", word),
			want:   `"income" alone predicts the label (AUROC 1.000): drop=income`,
			remedy: "drop=income"},
		{name: "a column made from the label", train: plain("score", func(i int) string {
			return fmt.Sprintf("%d.%02d", 3*label(i)+noise(i, 4, 3), noise(i, 5, 100))
		}), want: `"score" alone predicts the label (AUROC `, remedy: "drop=score"},
		{name: "the index of a data frame", train: plain("Unnamed: 0", func(i int) string {
			return fmt.Sprint(i)
		}), want: `"Unnamed: 0" grows with the row, as identifiers do: drop=Unnamed: 0`,
			remedy: "drop=Unnamed: 0"},
		{name: "an index without a name", train: plain("", func(i int) string {
			return fmt.Sprint(i)
		}), want: `"c1" grows with the row`, remedy: "drop=c1"},
		{name: "customer numbers", train: plain("customer", func(i int) string {
			return fmt.Sprint(1e6 + 7*noise(i, 4, 1e9))
		}), want: `"customer" differs in every row, as identifiers do: drop=customer`,
			remedy: "drop=customer"},
		{name: "identifiers that are texts", train: plain("id", func(i int) string {
			return fmt.Sprintf("C%05d", i)
		}), want: `line 2, column "id": "C00000" is not a number, and the column has more than 128 ` +
			`different values: categories=top:20 keeps the commonest, or drop=id`, remedy: "drop=id"},
		{name: "two columns with the same content", train: plain("score,score", func(i int) string {
			return strings.Repeat(fmt.Sprintf(",%d", noise(i, 4, 10)), 2)[1:]
		}), want: `"score" and "score.1" are equal in 100 % of rows: drop=score.1`,
			remedy: "drop=score.1"},
		{name: "a dropped column whose twin stays", train: plain("sex,gender", func(i int) string {
			return []string{"m,1", "f,2"}[noise(i, 4, 2)]
		}), options: "drop=sex",
			want:   `"sex" is left out, but its twin "gender" stays: drop=sex,gender`,
			remedy: "drop=sex,gender"},
		{name: "rows of one patient on both sides", train: plain("patient", func(i int) string {
			return fmt.Sprintf("P%02d", noise(i, 4, 40))
		}), options: "drop=patient", want: `80 of 80 test rows have a value of "patient" that ` +
			`training rows have, too: add split_by=patient`, remedy: "split_by=patient"},
		{name: "test rows that training has seen", train: clean, test: half[0] +
			strings.Join(half[1:101], ""), options: "test=TEST",
			want: "100 of 100 test rows are also training rows: take them out of one split"},
		{name: "labels that end in a full stop (adult.test)", train: adult(900, 1, ""),
			test:    "|1x3 Cross validator\n" + adult(300, 10, "."),
			options: "header=none&missing=category&test=TEST",
			want:    `"<=50K." is "<=50K" there, ">50K." is ">50K" there: add label_trim=.`,
			remedy:  "label_trim=."},
		{name: "a label that training lacks", train: clean, test: "x,a,b,label\n1,2,3,maybe\n",
			options: "test=TEST",
			want: `no training sample has class "maybe", found in 1 of the others: ` +
				`write the labels alike`},
		{name: "classes of mixed case", train: rows("a,label", 400, func(i int) string {
			class := []string{"Yes", "yes", "no"}[noise(i, 2, 3)]
			return fmt.Sprintf("%d,%s", noise(i, 1, 5000), class)
		}), want: `"label" has both "Yes" and "yes": write them alike`},
		{name: "a number in two forms, as a category", train: plain("code", func(i int) string {
			return []string{"1", "1.0", "x"}[noise(i, 4, 3)]
		}), want: `"code" has both "1" and "1.0": write them alike`},
		{name: "a number in two forms, as a class or group", train: rows("a,label", 400,
			func(i int) string {
				class := []string{"1", "1.0", "0"}[noise(i, 2, 3)]
				return fmt.Sprintf("%d,%s", noise(i, 1, 5000), class)
			}), want: `note: "label" has both "1" and "1.0": they count as one value`},
		{name: "a group that is too small", train: plain("g", func(i int) string {
			return []string{"common", "rare"}[min(1, i/370)]
		}), options: "group=g&label=label",
			want: "group rare has 6 test samples, below min_group=20: merge it"},
		{name: "text in Latin-1", train: latin.Replace(plain("town", town)),
			want: `is not UTF-8: add encoding=latin1`, remedy: "encoding=latin1"},
		{name: "text in a Windows encoding", train: plain("town", func(i int) string {
			return "\x80uro"
		}), want: `line 2: byte 15 of the text (0x80) is not UTF-8: add encoding=cp1252`,
			remedy: "encoding=cp1252"},
		{name: "text in UTF-16", train: wide.String(),
			want: "line 1: is UTF-16: add encoding=utf16", remedy: "encoding=utf16"},
		{name: "a column that is always missing",
			train:   plain("x", func(int) string { return "NULL" }),
			options: "missing=drop", want: `missing=drop leaves none of 400 lines: no line has a ` +
				`value of "x": leave it out with drop=x`, remedy: "drop=x"},
		{name: "a separator at the end of every line",
			train: strings.ReplaceAll(plain("x", func(i int) string {
				return fmt.Sprint(noise(i, 4, 9))
			}), "\n", ",\n"), options: "label=label",
			want: `"c5" has no value in any row: drop=c5`, remedy: "drop=c5"},
		{name: "hundreds of categories", train: plain("job", func(i int) string {
			return fmt.Sprintf("job%d", min(noise(i, 4, 200), noise(i, 5, 200)))
		}), want: `more than 128 different values: categories=top:20 keeps the commonest, or drop=job`,
			remedy: "categories=top:20"},
		{name: "test columns in another order", train: clean, test: rows("label,b,a,x,note", 100,
			func(i int) string {
				return fmt.Sprintf("%d,0.%04d,%d,%d,new", label(i+1e6), noise(i, 12, 10000),
					noise(i, 11, 5000), noise(i, 14, 9))
			}), options: "test=TEST"},
		{name: "a continuous label", train: rows("a,price", 400, func(i int) string {
			return fmt.Sprintf("%d,%d.%02d", noise(i, 1, 5000), noise(i, 2, 100), noise(i, 3, 100))
		}), want: "a continuous label needs regression, but only classes are predicted"},
		{name: "decimal commas, many", train: semicolons.Replace(plain("price", func(i int) string {
			return fmt.Sprintf("%d!%02d", noise(i, 4, 90), noise(i, 5, 100))
		})),
			options: "sep=semicolon", want: `is not a number as programs read it: write `},
		{name: "decimal commas, few", train: plain("price", func(i int) string {
			return fmt.Sprintf(`"%d,5"`, noise(i, 4, 9))
		}), want: `"price" is read as categories, because of `},
		{name: "separated thousands", train: plain("pay", func(i int) string {
			return fmt.Sprintf(`"%d,500"`, 1+noise(i, 4, 9))
		}), want: `,500": write `},
		{name: "dates", train: plain("day", func(i int) string {
			return fmt.Sprintf("2024-0%d-1%d", 1+noise(i, 4, 9), noise(i, 5, 9))
		}), want: `"day" has dates, read as 78 categories: make it a number, or drop=day`,
			remedy: "drop=day"},
		{name: "a word for missing values", train: plain("age", func(i int) string {
			return []string{"unknown", fmt.Sprint(20 + noise(i, 4, 60))}[min(1, noise(i, 5, 30))]
		}), want: `"age" is read as categories, because of "unknown": leave missing cells empty`},
		{name: "codes among numbers", train: plain("diag", func(i int) string {
			number := fmt.Sprintf("%d.1", 200+noise(i, 4, 60))
			return []string{"V55", number}[min(1, noise(i, 5, 30))]
		}), want: `"diag" is read as categories, because of "V55": write a number, or add ` +
			`categorical=diag if the values are codes`, remedy: "categorical=diag"},
		{name: "codes that are numbers", train: plain("thal", func(i int) string {
			return []string{"3", "6", "7"}[noise(i, 4, 3)]
		}), want: `"thal" has 3 whole numbers between 3 and 7, as codes do: add categorical=thal if`,
			remedy: "categorical=thal"},
		{name: "one class", train: rows("a,label", 50, func(i int) string {
			return fmt.Sprintf("%d,yes", i)
		}), want: `"label" has one value only: a label needs two`},
		{name: "a class too small for a test split", train: rows("a,label", 400,
			func(i int) string {
				return fmt.Sprintf("%d,%s", i*i, []string{"odd", "x", "y"}[min(i/2, 1+i%2)])
			}), remedy: "test_fraction=.3",
			want: `test_fraction=0.2 leaves a split without a sample of class "odd" (n = 2): `},
		{name: "groups too small for a test split", train: rows("a,site,label", 400,
			func(i int) string { return fmt.Sprintf("%d,%d,%d", i*i, i/2, i%2) }),
			options: "group=site",
			want:    "note: test_fraction=0.2 is a part of each class: of each"},
		{name: "semicolons", train: strings.ReplaceAll(clean, ",", ";"),
			want:   `has one column, named "x;a;b;label", with 3 of the sign ";": add sep=semicolon`,
			remedy: "sep=semicolon"},
		{name: "two files joined into one", train: clean + clean,
			want: `line 402 repeats the header: take it out`},
		{name: "two files joined, with other columns first", train: clean + "b,a,x,label\n",
			want: `line 402 names the columns in another order: join the files with`},
		{name: "a byte-order mark where files were joined", train: clean + "\ufeff" +
			strings.Join(half[1:], "")},
		{name: "a group that is called `None`", train: plain("g", func(i int) string {
			return []string{"None", "one"}[noise(i, 4, 2)]
		}), options: "group=g&missing=category", remedy: "na=",
			want: `note: samples with "None" in "g" are in the group (missing): add na= if`},
		{name: "a byte-order mark", train: "\ufeff" + clean},
		{name: "spaces after cells", train: plain("town", func(i int) string {
			return []string{"Bonn", "Bonn ", "Ulm\u00a0", " Ulm"}[noise(i, 4, 4)]
		})},
		{name: noMistake, train: clean},
	}
}

// said returns the output of `data show` for a table, or its error.
func said(t *testing.T, m *mistake, more string) string {
	t.Helper()
	dir := t.TempDir()
	path := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	name := "csv:" + path("table.csv", m.train) + "?"
	options := strings.ReplaceAll(m.options, "TEST", path("test.csv", m.test))
	key, _, _ := strings.Cut(more, "=")
	list := slices.DeleteFunc(strings.Split(options, "&"), func(o string) bool {
		return o == "" || strings.HasPrefix(o, key+"=") && more != ""
	})
	if more != "" {
		list = append(list, more)
	}
	con := console.New(console.Env{DataDir: dir})
	c, err := openCard(t.Context(), con, name+strings.Join(list, "&"), 0, 20)
	if err != nil {
		return "error: " + err.Error()
	}
	var out bytes.Buffer
	c.print(cell.NewWriter(&out))
	if len(c.Checks) != len(c.Warnings) {
		t.Errorf("%d checks and %d warnings", len(c.Checks), len(c.Warnings))
	}
	return out.String()
}

// TestMistakes: each mistake has its line in the output. Its remedy removes the line and causes no
// error.
func TestMistakes(t *testing.T) {
	docs, err := os.ReadFile("../../../docs/data.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mistakes() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			got := said(t, &m, "")
			if !strings.Contains(got, m.want) {
				t.Errorf("%s\nwant %q", got, m.want)
			}
			if !strings.Contains(string(docs), "\n| "+m.name+" |") && m.name != noMistake {
				t.Errorf("docs/data.md has no row %q", m.name)
			}
			warned := strings.HasPrefix(got, "error") || strings.Contains(got, `warning: "`)
			if m.want == "" && warned {
				t.Errorf("%s\nwant no warning", got)
			}
			if m.remedy == "" {
				return
			}
			if after := said(t, &m, m.remedy); strings.Contains(after, m.want) ||
				strings.HasPrefix(after, "error") {
				t.Errorf("with %s:\n%s", m.remedy, after)
			}
		})
	}
}

// TestPrintedNames: the name of a column is typed as it is printed, whatever characters it has.
func TestPrintedNames(t *testing.T) {
	for _, name := range []string{"h\x01", "\x1b[31mred", "del\x7fete", "plain", "a+b", "50%",
		"a%20b", "a b", "R&D", "a;b", "a=b", "a,b", "zero\u200bwidth", "no\u00a0break",
		"tab\there", "back\\slash", "what?", "größe"} {
		m := mistake{train: plain(`"`+name+`"`, func(i int) string { return fmt.Sprint(noise(i, 3, 2)) }),
			options: "label=label"}
		got := said(t, &m, "")
		_, remedy, found := strings.Cut(got, ": drop=")
		if !found {
			t.Fatalf("%q: no remedy in\n%s", name, got)
		}
		remedy, _, _ = strings.Cut(remedy, "\n")
		if name[0] < ' ' && !strings.Contains(got, `warning: "`+remedy+`" alone predicts`) {
			t.Errorf("%q has two forms in\n%s", name, got)
		}
		if after := said(t, &m, "drop="+remedy); strings.Contains(after, "alone predicts") ||
			strings.HasPrefix(after, "error") {
			t.Errorf("with drop=%s:\n%s", remedy, after)
		}
	}
}
