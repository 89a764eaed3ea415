import{A as E,B as T,C as w,D as S,E as k}from"./part-3DYAXAUL.js";import{c as x}from"./part-AVLO6X6N.js";import{a as m,d as p,f,g as y,n as e}from"./part-TZWZEXLT.js";import"./part-VSIX5BEZ.js";import{c as a}from"./part-RBYASSXD.js";import{P as h,Q as v,e as u,f as g}from"./part-N7SRB2TM.js";var b=300;function A({file:t}){let i=f(null);return p(()=>F(t,i.current),[]),e(m,{children:[e("div",{class:"file-head",children:[e("h1",{class:"mono",children:t.file}),e(S,{file:t}),e("span",{class:"file-tools",children:e("a",{class:"button plain",href:u(t.file),children:g("text.history")})})]}),e(k,{file:t}),e("div",{class:"plain-text",ref:i})]})}function F(t,i){let s=t.text.includes(`\r
`)?`\r
`:`
`,r=0,c=async()=>{let o=n.state.doc.toString(),l=await(t.file==="phrases.yaml"?v:h)(t.project,{file:t.file,text:o}).catch(()=>null);l&&o===n.state.doc.toString()&&T(n,l.diagnostics)},P=()=>{t.change(n.state.doc.toString().replaceAll(`
`,s)),clearTimeout(r),r=window.setTimeout(()=>a(()=>{c()}),b)},n=E({parent:i,text:t.text,label:t.file,readOnly:!t.mayEdit,kind:t.file==="phrases.yaml"?"phrases":t.file.endsWith(".yaml")?"yaml":"plain",updated:o=>o.docChanged&&a(P)});t.onText=(o,d)=>{s=o.includes(`\r
`)?`\r
`:`
`,w(n,o,d)},c()}var D=document.getElementById("editor");D&&y(D,async()=>e(A,{file:await x.open()}));
