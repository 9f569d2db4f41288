package main
import ("fmt";"os";"drolab/runner/record";"drolab/runner/story")
func main(){ for _,d:=range os.Args[1:]{ runs,p:=record.List(d); if len(p)>0{fmt.Println(p)}
 var l []*record.Run; for i:=len(runs)-1;i>=0;i--{l=append(l,runs[i])}
 s,err:=story.Of(l); fmt.Println(d,len(runs),err); fmt.Println("   ",s.String()); fmt.Println("  80:",s.Fit(func(t string)bool{return len([]rune(t))<=78})) } }
