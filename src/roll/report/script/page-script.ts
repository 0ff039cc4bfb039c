import { MARKS_SCRIPT } from './marks-script.ts'
import { PAGE_PARTS_SCRIPT } from './page-parts-script.ts'
import { ZOOM_SCRIPT } from './zoom-script.ts'

/** The only script of the page. It only adds convenience: the page is complete without it. */
export const PAGE_SCRIPT = `'use strict';
(() => {
${PAGE_PARTS_SCRIPT}
${ZOOM_SCRIPT}
${MARKS_SCRIPT}
})()
`
