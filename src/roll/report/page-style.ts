import { DARK, LIGHT, type Palette } from './color-tokens.ts'
import { LAYOUT_STYLE } from './layout-style.ts'

const roles = Object.keys(LIGHT) as readonly (keyof Palette)[]

const declared = (palette: Palette): string => roles.map((role) => `--${role}:${palette[role]}`).join(';')

/** Attributes have the light palette; where there is style, these rules follow the palette in use. */
const painted = roles.map((role) => `.f-${role}{fill:var(--${role})}.s-${role}{stroke:var(--${role})}`).join('\n')

/** The system's own colours; labels, edges and patterns tell the fills apart. */
const FORCED =
  '--paper:Canvas;--text:CanvasText;--quiet:CanvasText;--onFill:Canvas;--leave:LinkText;--drain:CanvasText;--away:CanvasText;--return:CanvasText;--fail:Highlight;--done:CanvasText;--hold:CanvasText;--outline:GrayText;--hair:GrayText;--ground:Canvas'

export const PAGE_STYLE = `
:root{color-scheme:light;${declared(LIGHT)}}
@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;${declared(DARK)}}}
@media screen{:root[data-theme=dark]{color-scheme:dark;${declared(DARK)}}}
@media screen and (forced-colors:active){:root:root:root{${FORCED}}svg{forced-color-adjust:none}}
${painted}
@media (forced-colors:active){.s-hair{stroke:Canvas}}
${LAYOUT_STYLE}
@media (forced-colors:active){.word.word.word{background:Canvas;color:CanvasText}}
`
