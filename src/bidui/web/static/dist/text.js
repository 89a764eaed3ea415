import{A as w,B as S,C as k}from"./part-LSUMIOCS.js";import{c as x}from"./part-HP3KKTIQ.js";import{a as E,b as T}from"./part-4U2BLW6K.js";import{a as g,e as h,g as v,h as y,o as e}from"./part-52NMCXZ7.js";import"./part-VSIX5BEZ.js";import{c as a}from"./part-RBYASSXD.js";import{D as f,E as u}from"./part-ENQFBJE6.js";import{g as m,h as p}from"./part-GAIJHYZ7.js";var b=300;function A({file:t}){let i=v(null);return h(()=>F(t,i.current),[]),e(g,{children:[e("div",{class:"file-head",children:[e("h1",{class:"mono",children:t.file}),e(E,{file:t}),e("span",{class:"file-tools",children:e("a",{class:"button plain",href:m(t.file),children:p("text.history")})})]}),e(T,{file:t}),e("div",{class:"plain-text",ref:i})]})}function F(t,i){let s=t.text.includes(`\r
`)?`\r
`:`
`,r=0,c=async()=>{let o=n.state.doc.toString(),l=await(t.file==="phrases.yaml"?u:f)(t.project,{file:t.file,text:o}).catch(()=>null);l&&o===n.state.doc.toString()&&S(n,l.diagnostics)},P=()=>{t.change(n.state.doc.toString().replaceAll(`
`,s)),clearTimeout(r),r=window.setTimeout(()=>a(()=>{c()}),b)},n=w({parent:i,text:t.text,label:t.file,readOnly:!t.mayEdit,kind:t.file==="phrases.yaml"?"phrases":t.file.endsWith(".yaml")?"yaml":"plain",updated:o=>o.docChanged&&a(P)});t.onText=(o,d)=>{s=o.includes(`\r
`)?`\r
`:`
`,k(n,o,d)},c()}var D=document.getElementById("editor");D&&y(D,async()=>e(A,{file:await x.open()}));
