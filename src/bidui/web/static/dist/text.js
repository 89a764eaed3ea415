import{A as k,B as F,l as E,m as r,q as T,r as w,s as S,y as D}from"./part-D4DHZS4G.js";import{a as h,d as v,f as y,g as o,k as x}from"./part-YCRIGZ3V.js";import"./part-DTUPJW5F.js";import{e as u,u as g}from"./part-LQ3ZEQXM.js";import{a,d as f}from"./part-L3A67FWQ.js";var j=300;function A({file:t}){let n=y(null);return v(()=>P(t,n.current),[]),o(h,{children:[o("div",{class:"file-head",children:[o("h1",{class:"mono",children:t.file}),o(w,{file:t}),o("span",{class:"file-tools",children:o("a",{class:"button plain",href:C(t),children:f("text.history")})})]}),o(S,{file:t}),o("div",{class:"plain-text",ref:n})]})}var C=t=>u(t.project,"history",t.file).replace("/projects/","/p/");function P(t,n){let c=t.text.includes(`\r
`)?`\r
`:`
`,m=0,l=async()=>{let e=i.state.doc.toString(),s=t.file==="phrases.yaml"?"phrases":"text",p=await g(t.project,{kind:s,file:t.file,text:e}).catch(()=>null);p&&e===i.state.doc.toString()&&F(i,p.diagnostics)},d=()=>{t.change(i.state.doc.toString().replaceAll(`
`,c)),clearTimeout(m),m=window.setTimeout(()=>r(()=>{l()}),j)},i=k({parent:n,text:t.text,label:t.file,readOnly:!t.mayEdit,kind:t.file==="phrases.yaml"?"phrases":t.file.endsWith(".yaml")?"yaml":"plain",updated:e=>e.docChanged&&(E()?r(d):d())});t.onText=(e,s)=>{c=e.includes(`\r
`)?`\r
`:`
`,D(i,e,s)},l()}var b=document.getElementById("editor");b&&x(b,async()=>o(A,{file:await T.open(a.project,a.file)}));
