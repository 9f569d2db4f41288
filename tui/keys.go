package tui

import "strings"

// action is something that a key does.
type action int

const (
	_ action = iota // no action

	// Everywhere.
	actHelp
	actPalette
	actLeave
	actNextPage
	actPrevPage
	actPage1
	actPage2
	actPage3
	actPage4

	// In lists and among panels.
	actUp
	actDown
	actLeft
	actRight
	actTop
	actBottom
	actPageUp
	actPageDown
	actEnter
	actBack
	actSelect
	actFilter
	actDelete
	actNextPanel
	actPrevPanel

	// Launch.
	actEdit
	actUndo

	// Runs and Compare.
	actSort
	actSortBack
	actSelectAll
	actCompare
	actMeasure
	actView

	// Of one run.
	actPause
	actResume
	actStop
	actCheckpoint
	actTurn

	// Watch.
	actZoom
	actLayout
	actLog
	actSmooth
	actSmoothBack
	actAxis
	actFlip
	actBaseline
	actDots
	actLogPane
	actInfo
	actExport
	actNewest
)

// alters tells whether an action on a page starts, changes or deletes runs,
// which a view that is read-only does not.
func alters(a action, id pageID) bool {
	switch a {
	case actPause, actResume, actStop, actCheckpoint, actTurn, actDelete:
		return true
	}
	return a == actEnter && id == launchPage
}

// binding is a row of the key table: it drives dispatch, help and footer.
type binding struct {
	keys  []string // as tea.KeyPressMsg.String gives them; the first is shown
	act   action
	pages pageSet
	hint  string // the footer's word; empty leaves it out
	help  string // what it does, for the help
}

// pageSet is a set of pages.
type pageSet uint8

func on(ids ...pageID) (s pageSet) {
	for _, id := range ids {
		s |= 1 << id
	}
	return s
}

func (s pageSet) has(id pageID) bool { return s>>id&1 != 0 }

// keyTable is every key of the interface, in the order of help and footer. A
// page's own keys come before those of all pages. runsGoOn says that leaving
// ends no run.
func keyTable(runsGoOn bool) []binding {
	leave := "leave; asks while runs of this program go on"
	if runsGoOn {
		leave = "leave; the runs go on, and drolab attach shows them again"
	}
	all := on(launchPage, watchPage, runsPage, comparePage)
	lists := on(launchPage, runsPage, comparePage)
	watch, runs := on(watchPage), on(runsPage)
	launch, comparing := on(launchPage), on(comparePage)
	table := []binding{
		{[]string{"enter"}, actEnter, launch, "start", "start the runs and watch them"},
		{[]string{"space"}, actSelect, launch, "change", "choose a method or seed, take the next value, or type one"},
		{[]string{"e"}, actEdit, launch, "type", "type the value of a setting"},
		{[]string{"u"}, actUndo, launch, "undo", "set a setting back to what the preset says"},
		{[]string{"enter"}, actEnter, runs, "watch", "watch the selected runs, or the one under the cursor"},
		{[]string{"space"}, actSelect, runs, "select", "select several runs, to watch, compare, resume, stop or delete"},
		{[]string{"c"}, actCompare, runs, "compare", "compare the selected runs"},
		{[]string{"enter"}, actEnter, watch, "", "zoom the panel, and back"},
		{[]string{"enter"}, actEnter, comparing, "watch", "watch the compared runs"},
		{[]string{"space"}, actSelect, watch, "", "show or hide the run's curves"},
		{[]string{"up", "k"}, actUp, watch, "", "the run above"},
		{[]string{"down", "j"}, actDown, watch, "", "the run below"},
		{[]string{"left", "h"}, actLeft, watch, "", "the panel before"},
		{[]string{"right"}, actRight, watch, "", "the next panel"},
		{[]string{"up", "k"}, actUp, lists, "", "up"},
		{[]string{"down", "j"}, actDown, lists, "", "down"},
		{[]string{"left", "h"}, actLeft, on(launchPage, comparePage), "", "left"},
		{[]string{"right", "l"}, actRight, on(launchPage, comparePage), "", "right"},
		{[]string{"esc"}, actBack, all, "", "go back"},
		{[]string{"home", "g"}, actTop, all, "", "first"},
		{[]string{"end", "G"}, actBottom, all, "", "last"},
		{[]string{"pgup"}, actPageUp, all, "", "a page up"},
		{[]string{"pgdown"}, actPageDown, all, "", "a page down"},
		{[]string{"tab"}, actNextPanel, on(launchPage, watchPage, comparePage), "panel", "next panel"},
		{[]string{"shift+tab"}, actPrevPanel, on(launchPage, watchPage, comparePage), "", "panel before"},
		{[]string{"z"}, actZoom, watch, "zoom", "the panel on the whole screen, and back"},
		{[]string{"v"}, actLayout, watch, "layout", "1, 2, 4 or 6 panels"},
		{[]string{"f"}, actFlip, watch, "flip", "the panel's other views: one curve, phase portrait, losses"},
		{[]string{"p"}, actPause, on(watchPage, runsPage), "pause", "pause with a checkpoint, or go on"},
		{[]string{"r"}, actResume, on(watchPage, runsPage), "resume", "resume an unfinished run from its newest checkpoint"},
		{[]string{"x"}, actStop, on(watchPage, runsPage), "stop", "stop with a checkpoint (asks)"},
		{[]string{"s"}, actSmooth, watch, "smooth", "smoothing: mean of 5, EMA .9, EMA .99, none"},
		{[]string{"S"}, actSmoothBack, watch, "", "smoothing, backwards"},
		{[]string{"l"}, actLog, watch, "log", "vertical scale: linear, log, symmetric log"},
		{[]string{"a"}, actAxis, watch, "axis", "horizontal axis: steps, epochs, time"},
		{[]string{"b"}, actBaseline, watch, "baseline", "the run that bars are compared with"},
		{[]string{"d"}, actDots, watch, "", "curves in lines or in dots"},
		{[]string{"w"}, actLogPane, watch, "log pane", "warnings and what happened"},
		{[]string{"i"}, actInfo, watch, "define", "what the panel shows, defined"},
		{[]string{"e"}, actExport, watch, "", "export what the panel shows, as CSV beside the runs"},
		{[]string{"n"}, actNewest, watch, "", "watch the newest runs"},
		{[]string{"t"}, actTurn, watch, "turn", "turn a setting of the run while it goes on: lr, c, bounds of λ (asks)"},
		{[]string{"c"}, actCheckpoint, watch, "", "save a checkpoint now"},
		{[]string{"/"}, actFilter, runs, "filter", "filter, as in: algo:sfk rho>=0.5 -failed"},
		{[]string{"a"}, actSelectAll, runs, "", "select every run that is listed, or none"},
		{[]string{"s"}, actSort, runs, "sort", "sort by the next column"},
		{[]string{"S"}, actSortBack, runs, "", "sort by the same column, the other way round"},
		{[]string{"v"}, actView, comparing, "view", "table, curves or notes, where there is no room for all"},
		{[]string{"m"}, actMeasure, comparing, "measure", "the measure that the curves show"},
		{[]string{"D", "delete"}, actDelete, runs, "delete", "delete the selected runs, or the one under the cursor (asks)"},
		{[]string{":"}, actPalette, all, "", "find what to do by a word"},
		{[]string{"?"}, actHelp, all, "help", "these keys"},
		{[]string{"q", "ctrl+c"}, actLeave, all, "quit", leave},
		{[]string{"]"}, actNextPage, all, "", "next page"},
		{[]string{"["}, actPrevPage, all, "", "page before"},
	}
	for i := range pages {
		table = append(table, binding{[]string{string(rune('1' + i))}, actPage1 + action(i), all, "", ""})
	}
	return table
}

// lookUp returns the binding of a key on a page.
func lookUp(table []binding, key string, id pageID) (binding, bool) {
	for _, b := range table {
		if !b.pages.has(id) {
			continue
		}
		for _, k := range b.keys {
			if k == key {
				return b, true
			}
		}
	}
	return binding{}, false
}

// keyName is how a key is shown.
func keyName(key string, ascii bool) string {
	if rest, ok := strings.CutPrefix(key, "ctrl+"); ok {
		return "^" + keyName(rest, ascii)
	}
	if rest, ok := strings.CutPrefix(key, "shift+"); ok && ascii {
		return "Shift-" + keyName(rest, ascii)
	} else if ok {
		return "⇧" + keyName(rest, ascii)
	}
	switch key {
	case "up", "down", "left", "right":
		if ascii {
			return strings.ToUpper(key[:1]) + key[1:]
		}
		return map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→"}[key]
	case "enter", "space", "tab", "esc", "home", "end":
		return strings.ToUpper(key[:1]) + key[1:]
	case "pgup":
		return "PgUp"
	case "pgdown":
		return "PgDn"
	case "delete":
		return "Del"
	}
	return key
}
