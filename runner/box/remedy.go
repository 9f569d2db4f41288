package box

import "regexp"

// remedy matches the commands that a box names as a remedy for what is wrong there.
var remedy = regexp.MustCompile(
	`\bdrolab (?:(?:data|engine|sweep) [a-z]+|doctor|resume|run|show|stop|trust)\b`)

// nameBox returns what a box says with the box in the commands that it names: without it they would
// concern this machine.
func nameBox(text, box string) string {
	return remedy.ReplaceAllString(text, "$0 --box "+box)
}
