function n(){let t=document.activeElement;return()=>{let e=document.activeElement;return!e||e===document.body||e===t}}export{n as a};
