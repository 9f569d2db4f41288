package main
import ("fmt";"os";"drolab/runner";"drolab/runner/record";"drolab/tui/lab";"drolab/tui/watch/track")
func main(){ runs,_:=record.List(os.Args[1]); for _,r:=range runs[:1]{
 logs:=lab.InSmall(lab.Remember(os.Args[1],"",true), false)
 o:=track.Opened{Run:r, Log: record.Lineage(logs,r), At:r.Standing()}
 t:=track.New(o); t.Draw(nil,nil,100)
 for { ev,err:=o.Log.Read(); fmt.Println("read",len(ev),err,o.Log.Share()); if err!=nil||len(ev)==0{break}; n:=0; for _,e:=range ev{ if _,ok:=e.(*runner.EvalEvent);ok{n++}}; t.Add(ev); t.Share=o.Log.Share(); if t.Share==1{t.CaughtUp()}
 fmt.Println(n,len(t.Evals), t.Behind==nil) }
}}
