package measure

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"os"
	"strings"

	"drolab/runner/data"
	"drolab/runner/data/source"
)

// elsewhere are the patterns of advice that needs more than a test's files: a table of more than a
// million predictions, IDX files of gigabytes, a codec that no writer has, a Parquet file with
// times of 96 bits beside other columns, and settings of a run.
var elsewhere = map[string]bool{
	`line (?s:.*): more than (?s:.*) rows: use a part of them`: true,
	`(?s:.*): more than (?s:.*) bytes uncompressed: unpack it with gunzip, ` +
		`plain files may be larger`: true,
	`has times of 96 bits: save them as strings or numbers, or leave it out with (?s:.*)`: true,
	`imbalance has (?s:.*) ratios for (?s:.*) classes: give one per class`:                true,
	`it is compressed by (?s:.*): save it as it is, or with snappy, zstd or gzip`:         true,
}

// lined returns a table of n lines below its header.
func lined(header string, n int, of func(i int) string) string {
	text := header + "\n"
	for i := range n {
		text += of(i) + "\n"
	}
	return text
}

// plain is a small table without any fault.
func plain() string {
	return lined("x,c,label", 200, func(i int) string {
		return fmt.Sprintf("%d.5,%c,%c", i*37%101, 'u'+i%3, 'a'+i*i%7%2)
	})
}

// extra puts one more column before those of plain.
func extra(name string, of func(i int) string) string {
	lines := strings.Split(strings.TrimSuffix(plain(), "\n"), "\n")
	lines[0] = name + "," + lines[0]
	for i, line := range lines[1:] {
		lines[1+i] = of(i) + "," + line
	}
	return strings.Join(lines, "\n") + "\n"
}

func file(text string) map[string]string { return map[string]string{"t.csv": text} }

// adviceOfTables returns the advice about what a table has.
func adviceOfTables() []advice {
	const word = "csv:DIR/t.csv?label=label"
	semicolons := strings.ReplaceAll(plain(), ",", ";")
	quoted := "\"x;c;label\"\n\"1;u;a\"\n\"2;v;b\"\n"
	gap := func(i int) string { return []string{"", "NA", "7.5", "8.5"}[i%4] }
	icd := func(i int) string { return []string{"V55", "414.2", "428.1", "250.5"}[min(i%40, 3)] }
	wide := func(i int) string { return fmt.Sprintf("id%d", i) }
	return []advice{
		{says: "add sep=semicolon", word: word, files: file(semicolons)},
		{says: "write sep=semicolon in place of sep=tab", word: word + "&sep=tab",
			files: file(semicolons)},
		{says: "the line is in quotation marks as a whole: take these out", word: word + "&sep=;",
			files: file(quoted), mended: file(semicolons)},
		{says: "give one character, or comma", word: word + "&sep=xy", files: file(plain()),
			words: []string{word + "&sep=,", word + "&sep=comma"}},
		{says: "write encoding=latin1 in place of encoding=utf8", word: word + "&encoding=utf8",
			files: file(extra("t", func(int) string { return "\xe9" }))},
		{says: "add encoding=latin1", word: word,
			files: file(extra("t", func(int) string { return "\xe9" }))},
		{says: "has a character that encoding=cp1252 lacks: give another encoding",
			word: word + "&encoding=cp1252", words: []string{word + "&encoding=latin1"},
			files: file(extra("t", func(int) string { return "\x81" }))},
		{says: "is not UTF-16: leave encoding=utf16 out", word: word + "&encoding=utf16",
			files: file(plain()), words: []string{word}},
		{says: "convert the file first, as with tr", word: word, mended: file(plain()),
			files: file(strings.ReplaceAll(plain(), "\n", "\r"))},
		{says: "has both \"1\" and \"1.0\": write them alike", word: word,
			files:  file(extra("t", func(i int) string { return []string{"1", "1.0", "x"}[i%3] })),
			mended: file(extra("t", func(i int) string { return []string{"1", "1", "x"}[i%3] }))},
		{says: "add missing=drop to leave such lines out, missing=category for a category of " +
			"its own, or missing=mean", word: word, files: file(extra("t", gap))},
		{says: "or na= if \"NA\" is a value", word: word + "&group=t",
			files: file(strings.ReplaceAll(extra("t", gap), "\n,", "\n0,")),
			words: []string{word + "&group=t&na="}},
		{says: "training rows have, too: add split_by=patient", word: word + "&drop=patient",
			files: file(extra("patient", func(i int) string { return fmt.Sprint("P", i%20) }))},
		{says: "mend the splits, or leave split_by= out",
			word: word + "&split=part&split_by=patient",
			files: file(extra("patient,part", func(i int) string {
				return fmt.Sprintf("P%d,%s", i%20, []string{"train", "test"}[i%3/2])
			})), words: []string{word + "&split=part&drop=patient"},
			mended: file(extra("patient,part", func(i int) string {
				return fmt.Sprintf("P%d,%s", i%20, []string{"train", "test"}[i%20/15])
			}))},
		{says: "or if training samples have no groups; missing=drop leaves such lines out",
			word: word + "&group=t", files: file(extra("t", func(i int) string {
				return []string{"", "g", "h"}[i%3]
			}))},
		{says: "add na= if it is a value", word: word + "&group=t&missing=category",
			files: file(extra("t", gap)), words: []string{word + "&group=t&missing=category&na="}},
		{says: "missing value \"\": add missing=drop to leave such lines out", word: word,
			files: file(plain() + "1,u,\n")},
		{says: "the header has no name for it: leave it out with drop=c,c1", word: word + "&drop=c",
			files: file(extra("", gap))},
		{says: "leave it out with drop=c,t", word: word + "&drop=c&missing=drop",
			files: file(extra("t", func(int) string { return "" }))},
		{says: "leave such columns out with drop=", word: word + "&missing=drop",
			files: file(extra("t,s", func(i int) string { return []string{",1", "1,"}[i%2] })),
		},
		{says: "name another column with label=, group= or split=", word: word + "&missing=drop",
			files: file("x,y,label\n1,a,\n2,b,\n1,a,\n2,b,\n"),
			words: []string{"csv:DIR/t.csv?label=y&missing=drop&drop=label&test_fraction=.5"}},
		{says: "and the network takes it: add missing=mean", train: word + "&missing=drop",
			word: "csv:DIR/u.csv", files: map[string]string{"t.csv": plain(),
				"u.csv": "x,c,label\n,u,a\n,v,b\n"}},
		{says: "take it out of the file, and the samples count as ones without it",
			train: word + "&missing=drop", word: "csv:DIR/u.csv", files: map[string]string{
				"t.csv": plain(), "u.csv": "x,c,label\n1,u,\n2,v,\n"},
			mended: map[string]string{"u.csv": "x,c\n1,u\n2,v\n"}},
		{says: "categories=top:20 keeps the commonest, or drop=t", word: word,
			files: file(extra("t", wide))},
		{says: "categories=top:20 keeps the commonest, or drop=t, or numeric=t reads numbers",
			word: word, files: file(extra("t",
				func(i int) string { return fmt.Sprintf("%04d", i) }))},
		{says: "is not a number as programs read it: write 7.5", word: word, files: file(extra("t",
			func(i int) string { return fmt.Sprintf("\"7,%d\"", 5+i) })),
			mended: file(extra("t", func(i int) string { return fmt.Sprintf("7.%d", 5+i) }))},
		{says: "mend that line, or take it out, or add categorical=t if the values are codes",
			word: word, files: file(extra("t", func(i int) string {
				return strings.Replace(fmt.Sprint(i), "150", "V55", 1)
			})), next: map[string]string{"categorical=t": "categories=top:20 keeps the commonest"},
			mended: file(extra("t", func(i int) string { return fmt.Sprint(i) }))},
		{says: "mend that line, or take it out, or give na=unknown if it is missing", word: word,
			files: file(extra("t", func(i int) string {
				return strings.Replace(fmt.Sprint(i), "150", "unknown", 1)
			})), next: map[string]string{
				"na=unknown": "missing value \"unknown\": add missing=drop"}},
		{says: "as the other values are: mend that line, or take it out, or add categorical=t if",
			word: word, files: file(extra("t", func(i int) string {
				return strings.Replace(fmt.Sprint(i), "50", "V55", 1)
			})), next: map[string]string{"categorical=t": "categories=top:20 keeps the commonest"}},
		{says: "mend that line, or take it out", word: word,
			files: file(extra("t", func(i int) string {
				return strings.Replace(fmt.Sprint(i), "150", `"a,b"`, 1)
			})), mended: file(extra("t", func(i int) string { return fmt.Sprint(i) }))},
		{says: "because of \"V55\": write a number, or add categorical=t if the values are codes",
			word: word, files: file(extra("t", icd))},
		{says: "because of \"unknown\": leave missing cells empty, or give na=NA,unknown",
			word: word + "&missing=category", files: file(extra("t", func(i int) string {
				return []string{"unknown", "NA", fmt.Sprintf("%d.5", i%50)}[min(i%30, 2)]
			}))},
		{says: "because of \"a,b\": leave missing cells empty", word: word + "&missing=category",
			files: file(extra("t", func(i int) string {
				return []string{`"a,b"`, fmt.Sprintf("%d.5", i%50)}[min(i%30, 1)]
			})), mended: file(extra("t", func(i int) string {
				return []string{"", fmt.Sprintf("%d.5", i%50)}[min(i%30, 1)]
			}))},
		{says: "because of \"8,5\": write 8.5", word: word, files: file(extra("t",
			func(i int) string { return "\"8,5\"" })), mended: file(extra("t",
			func(i int) string { return "8.5" }))},
		{says: "as codes do: add categorical=s,t if they are no quantities",
			word: word + "&categorical=s", files: file(extra("s,t", func(i int) string {
				return fmt.Sprintf("%d,%d", 3+2*(i%4), 2+3*(i%3))
			}))},
		{says: "categories: make it a number, or drop=t", word: word, files: file(extra("t",
			func(i int) string { return fmt.Sprintf("2024-01-%02d", 10+i%9) }))},
		{says: "are also training rows: take them out of one split", word: word +
			"&test=DIR/u.csv", files: map[string]string{"t.csv": plain(), "u.csv": "x,c,label\n" +
			strings.Join(strings.SplitAfter(plain(), "\n")[1:50], "")},
			mended: map[string]string{"u.csv": "x,c,label\n500,u,a\n"}},
		{says: "has 3 test samples, below min_group=20: merge it", word: word + "&group=g",
			files:  file(extra("g", func(i int) string { return fmt.Sprintf("%d", i%16/15) })),
			mended: file(extra("g", func(i int) string { return fmt.Sprintf("%d", i%2) }))},
		{says: "name another column with label= or group=", word: word + "&group=t",
			files: file(lined("t,x,label", 3000, func(i int) string {
				return fmt.Sprintf("id%d,%d,%c", i, i*37%101, 'a'+i*i%7%2)
			})), words: []string{word + "&drop=t"}},
		{says: "or name another column with label= or group=", word: "csv:DIR/t.csv?label=t",
			files: file(lined("t,x,label", 3000, func(i int) string {
				return fmt.Sprintf("%d.25,%d,%c", i, i*37%101, 'a'+i*i%7%2)
			})), words: []string{"csv:DIR/t.csv?label=label"}},
		{says: "make classes of it, such as above and below", word: "csv:DIR/t.csv?label=x",
			files: file(plain()), words: []string{word}},
		{says: "the label is the last column, \"y\": name it with label=", word: "csv:DIR/t.csv",
			files: file("x,y\n1,a\n2,b\n3,a\n4,b\n1,a\n2,b\n3,a\n4,b\n1,a\n2,b\n3,a\n4,b\n"),
			words: []string{"csv:DIR/t.csv?label=y"}},
		{says: "write \"label\"", word: "csv:DIR/t.csv?label=Lable", files: file(plain()),
			words: []string{word}},
		{says: "if that is a sample, add header=none", word: "csv:DIR/t.csv?label=c3",
			files: file(strings.TrimPrefix(plain(), "x,c,label\n"))},
		{says: "if it is a sample, add header=none", word: "csv:DIR/t.csv",
			files: file(strings.TrimPrefix(plain(), "x,c,label\n"))},
		{says: "with a header that has the names of the attributes", word: word,
			files:  file("@relation t\n@data\n1,u,a\n"),
			mended: file(plain())},
		{says: "is dropped and used: leave one out", word: word + "&drop=label",
			files: file(plain()), words: []string{word, "csv:DIR/t.csv?label=c&drop=label"}},
		{says: "columns, the first line has 3: mend the line that begins \"1\"", word: word,
			files: file(plain() + "1,u\n"), mended: file(plain() + "1,u,a\n")},
		{says: "below the header has 4: mend the line that begins \"r3\"", word: word,
			files:  file("x,c,label\nr1,1,u,a\nr2,2,v,b\nr3,3,u\n"),
			mended: file("x,c,label\n" + strings.Repeat("r1,1,u,a\nr2,2,v,b\nr3,3,u,a\n", 9))},
		{says: "repeats the header: take it out, or add header=none if the first line is a sample",
			word: word, files: file(plain() + plain()), mended: file(plain()),
			next: map[string]string{"header=none": `no column "label"`}},
		{says: "join the files with their columns in one order", word: word,
			files: file(plain() + "c,x,label\n"), mended: file(plain())},
		{says: "is beyond float32: rescale the column", word: word + "&test=DIR/u.csv",
			files: map[string]string{"u.csv": extra("t", func(int) string { return "1e30" }),
				"t.csv": extra("t", func(i int) string { return fmt.Sprintf("%de-30", i) })},
			mended: map[string]string{
				"u.csv": extra("t", func(int) string { return "30" }),
				"t.csv": extra("t", func(i int) string { return fmt.Sprint(i % 150) })}},
		{says: "or merge the class with another, or give the test samples with test=PATH",
			word: word, files: map[string]string{"t.csv": plain() + "1,u,rare\n", "u.csv": plain()},
			words:  []string{word + "&test=DIR/u.csv"},
			mended: file(plain() + "1,u,a\n")},
		{says: "write the labels alike, or take those samples out", word: word + "&test=DIR/u.csv",
			files:  map[string]string{"t.csv": plain(), "u.csv": "x,c,label\n1,u,A\n2,u,b\n"},
			mended: map[string]string{"u.csv": "x,c,label\n1,u,a\n2,u,b\n"}},
		{says: "add label_trim=., or write them alike", word: word + "&test=DIR/u.csv",
			files: map[string]string{"t.csv": plain(), "u.csv": "x,c,label\n1,u,a.\n2,u,b.\n"}},
		{says: "cells=yes is label × group: name the group too", word: word + "&cells=yes",
			files: file(plain()), words: []string{word + "&cells=yes&group=c"}},
		{says: "combinations: take fewer groups", word: word + "&group=s,t",
			files: file(lined("s,t,x,label", 2000, func(i int) string {
				return fmt.Sprintf("%d,%d,%d,%d", i%50, i/50, i*i, i%3%2)
			})), words: []string{word + "&group=s"}},
		{says: "has no test samples (test or 2): add test_fraction=0.2 to draw them",
			word: word + "&split=s", files: file(extra("s", func(i int) string {
				return []string{"train", "val"}[i%4/3]
			}))},
		{says: "give top:N, as in top:20", word: word + "&categories=20", files: file(plain()),
			words: []string{word + "&categories=top:20"}},
		{says: "test_fraction=2: give a number between 0 and 1", word: word + "&test_fraction=2",
			files: file(plain()), words: []string{word + "&test_fraction=.5"}},
		{says: "give a whole number of at least 0", word: word + "&data_seed=x",
			files: file(plain()), words: []string{word + "&data_seed=1"}},
		{says: "has no use beside test: leave one out", word: word +
			"&test=DIR/t.csv&test_fraction=.2", files: file(plain()),
			words: []string{word + "&test_fraction=.2", word + "&test=DIR/t.csv"}},
		{says: "is given twice: give it once", word: word + "&na=q&na=p", files: file(plain()),
			words: []string{word + "&na=q"}},
		{says: "missing=x: give error, drop", word: word + "&missing=x", files: file(plain()),
			words: []string{word + "&missing=drop"}},
		{says: "no path: write csv:PATH", word: "csv:?label=label", files: file(plain()),
			words: []string{word}},
		{says: "without names, and this is a table of 3 columns: give it arrays, as npz:FILE",
			train: "npz:DIR/a.npz", word: "csv:DIR/t.csv", words: []string{"npz:DIR/a.npz"},
			files: map[string]string{"t.csv": plain(),
				"a.npz": npz(npyOf("<f4", "(200, 2)", "False", waves(400, 1)))["a.npz"]}},
		{says: "name the column of the true class with label=", raw: true, word: "csv:DIR/t.csv",
			files: file("y,prediction\na,a\nb,a\n"), words: []string{"csv:DIR/t.csv?label=y"}},
		{says: "is not a number: mend it", raw: true, word: "csv:DIR/t.csv",
			files: file("label,p_a\na,.5\nb,x\n"), mended: file("label,p_a\na,.5\nb,.25\n")},
	}
}

// npyOf returns a file in NumPy's format.
func npyOf(descr, shape, order string, values any) string {
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order,
		shape)
	b := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(head)))
	b = append(b, head...)
	b, err := binary.Append(b, binary.LittleEndian, values)
	if err != nil {
		panic(err) // values are numbers
	}
	return string(b)
}

// waves returns n numbers, from 0 to most.
func waves(n int, most float32) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = most * float32(i*37%101) / 100
	}
	return list
}

// y is an array of 200 labels.
func y() string {
	list := make([]uint8, 200)
	for i := range list {
		list[i] = uint8(i * i % 7 % 2)
	}
	return npyOf("|u1", "(200,)", "False", list)
}

// archive returns a zip file of members, which are named in pairs with their contents.
func archive(members ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		w, err := z.Create(members[i])
		if err != nil {
			panic(err) // memory takes all
		}
		w.Write([]byte(members[i+1]))
	}
	z.Close()
	return b.String()
}

// npz returns an archive of x and y.
func npz(x string) map[string]string {
	return map[string]string{"a.npz": archive("x.npy", x, "y.npy", y())}
}

// tensors returns a safetensors file with x of this type, whose values have size bytes, and labels.
func tensors(dtype string, size int) string {
	head := fmt.Sprintf(`{"x":{"dtype":"%s","shape":[200,1],"data_offsets":[0,%d]},`+
		`"y":{"dtype":"U8","shape":[200],"data_offsets":[%[2]d,%[3]d]}}`, dtype, 200*size,
		200*size+200)
	text := y()
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	b = append(append(b, head...), make([]byte, 200*size)...)
	return string(append(b, text[len(text)-200:]...))
}

// adviceOfArrays returns the advice about arrays.
func adviceOfArrays() []advice {
	const word = "npz:DIR/a.npz"
	good := npz(npyOf("<f4", "(200, 2)", "False", waves(400, 1)))
	members := npyOf("|u1", "(200, 1200)", "False", make([]uint8, 200*1200))
	twins := npyOf("|u1", "(200, 2)", "False", make([]uint8, 400))
	x := npyOf("<f4", "(200, 2)", "False", waves(400, 1))
	return []advice{
		{says: "add scale=standard", word: word,
			files: npz(npyOf("<f4", "(200, 2)", "False", waves(400, 1e-3)))},
		{says: "save it with astype('float32'), astype('int64') or astype('str')", word: word,
			files: npz(npyOf("<c8", "(200, 1)", "False", waves(400, 1))), mended: good},
		{says: "values are big-endian: save it with astype('<f4')", word: word,
			files: npz(npyOf(">f4", "(200, 2)", "False", waves(400, 1))), mended: good},
		{says: "save it with numpy.ascontiguousarray", word: word,
			files: npz(npyOf("<f4", "(200, 2)", "True", waves(400, 1))), mended: good},
		{says: "numbers are of 16 bytes: save it with astype('float32')", word: word,
			files: npz(npyOf("<f16", "(200, 1)", "False", waves(800, 1))), mended: good},
		{says: "is not a whole NPZ file: make the file again, or copy it again", word: word,
			files: map[string]string{"a.npz": good["a.npz"][:len(good["a.npz"])/2]}, mended: good},
		{says: "integers are of 16 bytes: save it with astype('int64')", word: word,
			files: npz(npyOf("<i16", "(200, 1)", "False", waves(800, 1))), mended: good},
		{says: "save them with astype('float32')", word: word,
			files: npz(npyOf("<i4", "(200, 2)", "False", waves(400, 1))), mended: good},
		{says: "save it with numpy.ascontiguousarray(numpy.moveaxis(x, -1, 1))", word: word,
			files:  npz(npyOf("<f4", "(200, 8, 8, 3)", "False", waves(200*192, 1))),
			mended: npz(npyOf("<f4", "(200, 3, 8, 8)", "False", waves(200*192, 1)))},
		{says: "has more than 1000 different values: name another array", word: word + "?y=w",
			files: map[string]string{"a.npz": archive("x.npy", npyOf("<f4", "(1200, 1)", "False",
				waves(1200, 1)), "w.npy", npyOf("<i4", "(1200,)", "False", counting(1200)), "v.npy",
				npyOf("|u1", "(1200,)", "False", bytes.Repeat([]byte{0, 1}, 600)))},
			words: []string{word + "?y=v"}},
		{says: "add y=Y.npy", word: "npy:DIR/x.npy", files: map[string]string{"x.npy": x,
			"Y.npy": y()}},
		{says: "1200 groups: take at most 1000", word: word + "?g=g", files: map[string]string{
			"a.npz": archive("x.npy", x, "y.npy", y(), "g.npy", members, "h.npy", twins)},
			words: []string{word + "?g=h"}},
		{says: "two groups are called \"a\": give each a name of its own", word: word + "?g=g",
			files: map[string]string{"a.npz": archive("x.npy", x, "y.npy", y(), "g.npy", twins,
				"group_names.npy", npyOf("|S1", "(2,)", "False", []byte("aa")))},
			mended: map[string]string{"a.npz": archive("x.npy", x, "y.npy", y(), "g.npy", twins,
				"group_names.npy", npyOf("|S1", "(2,)", "False", []byte("ab")))}},
		{says: "values of type \"BF16\": make float32 of them with safetensors.torch.save_file(",
			word: "safetensors:DIR/a.safetensors", files: map[string]string{
				"a.safetensors": tensors("BF16", 2), "a32.safetensors": tensors("F32", 4)},
			words: []string{"safetensors:DIR/a32.safetensors"}},
		{says: "values of type \"C64\": save them as one of BOOL, F16, F32",
			word:   "safetensors:DIR/a.safetensors",
			files:  map[string]string{"a.safetensors": tensors("C64", 8)},
			mended: map[string]string{"a.safetensors": tensors("F32", 4)}},
	}
}

// counting returns the numbers from 0.
func counting(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// testdata returns a file of the reader's own tests.
func testdata(name string) string {
	b, err := os.ReadFile("../data/table/testdata/" + name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// gzipped returns a text as a program that compresses it writes it.
func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.String()
}

// adviceOfFiles returns the advice about names, paths and kinds of files.
func adviceOfFiles() []advice {
	const label = "?label=label"
	const flag = "?label=flag&missing=drop&drop=text,huge,ordered,nothing" // of plain.parquet
	files := func(list ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(list); i += 2 {
			m[list[i]] = list[i+1]
		}
		return m
	}
	// as is a file of a foreign kind, its name and its beginning, and the line that converts it.
	as := func(name, head, line, made string) advice {
		scheme := "csv:DIR/"
		m := files(name, head+plain())
		if m[made] = plain(); strings.HasSuffix(made, ".parquet") {
			m[made] = testdata("plain.parquet")
		}
		then := scheme + made + label
		if strings.HasSuffix(made, ".parquet") {
			then = "parquet:DIR/" + made + flag
		}
		return advice{says: line, word: scheme + name + label, files: m, words: []string{then}}
	}
	nested := "parquet:DIR/t.parquet?label=y"
	return []advice{
		as("t.feather", "ARROW1", "make a table of it with pandas.read_feather(", "t.parquet"),
		as("t.data", "\xff\xff\xff\xff", "datasets.Dataset.from_file(", "t.parquet"),
		as("t.pkl", "\x80\x04\x95", "pandas.read_pickle(", "t.parquet"),
		as("t.xlsx", "PK\x03\x04", "pandas.read_excel(", "t.csv"),
		as("t.jsonl", `{"x": 1}`, "pandas.read_json(", "t.csv"),
		as("t.bin", "\x01\x02\xfe\xfd\x00\x00", "save the table as CSV or Parquet", "t.csv"),
		{says: "give it as parquet:", word: "csv:DIR/t.data", files: files("t.data",
			testdata("plain.parquet")),
			words: []string{"parquet:DIR/t.data" + flag}},
		{says: "give it as npy:", word: "csv:DIR/t.data", files: files("t.data", npyOf("<f4",
			"(200, 2)", "False", waves(400, 1)), "Y.npy", y()),
			words: []string{"npy:DIR/t.data?y=Y.npy"}},
		{says: "is compressed by gzip: call it", word: "csv:DIR/t" + label, files: files("t",
			gzipped(plain()), "t.gz", gzipped(plain())), words: []string{"csv:DIR/t.gz" + label}},
		{says: "is a zip archive: call it", word: "csv:DIR/t" + label, files: files("t",
			archive("t.csv", plain()), "t.zip", archive("t.csv", plain())),
			words: []string{"csv:DIR/t.zip" + label}},
		{says: "is compressed by bzip2: call it", word: "csv:DIR/t" + label, files: files("t",
			"BZh9", "t.bz2", testdata("packed.csv.bz2")),
			words: []string{"csv:DIR/t.bz2" + label}},
		{says: "is compressed by Zstandard: call it", word: "csv:DIR/t" + label, files: files("t",
			"\x28\xb5\x2f\xfd", "t.zst", testdata("packed.csv.zst")),
			words: []string{"csv:DIR/t.zst" + label}},
		{says: `the archive has 2 files, "a.csv", "b.csv": unpack it and give one of them`,
			word: "csv:DIR/t.zip" + label, words: []string{"csv:DIR/a.csv" + label}, files: files(
				"t.zip", archive("a.csv", plain(), "b.csv", plain()), "a.csv", plain())},
		{says: "unpack it with xz -d, or compress it as .gz or .zst", word: "csv:DIR/t.xz" + label,
			files: files("t.xz", "\xfd7zXZ", "t", plain(), "t.gz", gzipped(plain())),
			words: []string{"csv:DIR/t" + label, "csv:DIR/t.gz" + label}},
		{says: "make one file of them with pandas.read_parquet(", word: "parquet:DIR/s?label=y",
			files: files("s/year=2024/part-0.parquet", testdata("nested.parquet"), "s.csv",
				plain()), words: []string{"csv:DIR/s.csv" + label}},
		{says: `datasets.load_from_disk(`, word: "DIR/s", files: files("s/state.json", "{}",
			"s.csv", plain()), words: []string{"csv:DIR/s.csv" + label}},
		{says: "make a table of each with", word: "DIR/s", files: files("s/dataset_dict.json", "{}",
			"s.csv", plain()), words: []string{"csv:DIR/s.csv" + label}},
		{says: "is a folder and not a regular file: name a file in it", word: "csv:DIR/s",
			files: files("s/t.csv", plain()), words: []string{"csv:DIR/s/t.csv" + label}},
		{says: "is a file of unknown kind: give a table as csv:", word: "DIR/t.data" + label,
			files: files("t.data", plain()), words: []string{"csv:DIR/t.data" + label}},
		{says: "unknown name: write spurious, or choose one of", word: "spurios",
			words: []string{"spurious"}},
		{says: "check the path, or take DIR/communities.data", word: "csv:DIR/comunities.data" +
			label, files: files("communities.data", plain()),
			words: []string{"csv:DIR/communities.data" + label}},
		{says: "is nested: leave it out with drop=list, or save the table flat", word: nested,
			files: files("t.parquet", testdata("nested.parquet")),
			next:  map[string]string{"drop=list": "test_fraction=0.2 leaves a split without"}},
		{says: "is not UTF-8 at byte 9: give another", word: "csv:DIR/t\xff.csv",
			direct: func() error {
				_, err := source.Open("csv:t.csv\xff", data.Options{})
				return err
			}},
		{says: "as with iconv -f UTF-16 -t UTF-8", direct: func() error {
			return data.CheckText([]byte("\xff\xfea\x00"))
		}},
		{says: "as with iconv -f latin1 -t UTF-8", direct: func() error {
			return data.CheckText([]byte("caf\xe9"))
		}},
	}
}
