import type { Palette } from '../color-tokens.ts'
import { LIGHT } from '../color-tokens.ts'
import { html, type Markup } from '../markup.ts'

/** A fill that also works without style, and follows the palette with it. `more`: further classes, each after a space. */
export const fillOf = (role: keyof Palette, more = ''): Markup => html`class="f-${role}${more}" fill="${LIGHT[role]}"`

/** A line of this colour. */
export const strokeOf = (role: keyof Palette): Markup => html`class="s-${role}" stroke="${LIGHT[role]}"`

/** The second sign beside the colour, over a fill or alone. */
export const patternOf = (name: 'dots' | 'hatch' | 'hatch-fail' | 'cross' | 'gap'): Markup =>
  html`fill="url(#p-${name})"`

/** The patterns of all drawings of the page; written once, before the first one. */
export const patternDefinitions =
  (): Markup => html`<svg width="0" height="0" aria-hidden="true" focusable="false"><defs>
<pattern id="p-dots" width="5" height="5" patternUnits="userSpaceOnUse"><circle cx="1.5" cy="1.5" r="0.9" ${fillOf('onFill')} fill-opacity="0.75"/></pattern>
<pattern id="p-hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="1.6" height="5" ${fillOf('text')}/></pattern>
<pattern id="p-hatch-fail" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="1.3" height="4" ${fillOf('fail')}/></pattern>
<pattern id="p-cross" width="5" height="5" patternUnits="userSpaceOnUse"><path d="M0 0L5 5M5 0L0 5" ${strokeOf('onFill')} stroke-width="0.9"/></pattern>
<pattern id="p-gap" width="4" height="4" patternUnits="userSpaceOnUse"><circle cx="1" cy="1" r="1" ${fillOf('outline')}/></pattern>
</defs></svg>`

/** The approximate width of a text in the drawings' 11 px font. */
export const textPixels = (text: string): number => text.length * 6.2
