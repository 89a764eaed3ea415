"""Three small trees, in both formats."""

GARDENER = """( (IP (NP-TMP (NT 昨天))
       (NP-SBJ (NN 园丁))
       (VP (VP (VV 修剪) (AS 了)
               (NP-OBJ (QP (CD 两) (CLP (M 排))) (NP (NN 灌木))))
           (PU ，)
           (VP (ADVP (AD 又))
               (VP (VV 喷洒) (NP-OBJ (NN 肥料)))))
       (PU 。)) )
"""
TEACHER = (
    "( (IP (NP-SBJ (DP (DT 这) (CLP (M 位))) (NP (NN 钢琴) (NN 老师))) (VP (VV 批改) (NP-OBJ (NN 作业))) (PU 。)) )\n"
)
TRACE = """( (IP (NP-SBJ-1 (-NONE- *pro*))
       (VP (LB 被) (IP-OBJ (NP-SBJ (NN 风)) (VP (VV 吹) (NP-OBJ (-NONE- *-1)))))
       (PU 。)) )
"""
CONLLU = """# sent_id = one
# text = 他修了三台电脑。
1\t他\t他\tPRON\tPN\t_\t2\tnsubj\t_\t_
2\t修\t修\tVERB\tVV\t_\t0\troot\t_\t_
3\t了\t了\tAUX\tAS\t_\t2\taux\t_\t_
4\t三\t三\tNUM\tCD\t_\t6\tnummod\t_\t_
5\t台\t台\tNOUN\tM\t_\t4\tclf\t_\t_
6\t电脑\t电脑\tNOUN\tNN\t_\t2\tobj\t_\tSpaceAfter=No
7\t。\t。\tPUNCT\tPU\t_\t2\tpunct\t_\t_

"""
