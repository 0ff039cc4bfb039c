import { MARKS_SCRIPT } from './marks-script.ts'
import { PAGE_PARTS_SCRIPT } from './page-parts-script.ts'
import { ZOOM_SCRIPT } from './zoom-script.ts'

/** The one script of the page. It adds to what is there already: without it nothing is missing but convenience. */
export const PAGE_SCRIPT = `'use strict';
(() => {
${PAGE_PARTS_SCRIPT}
${ZOOM_SCRIPT}
${MARKS_SCRIPT}
})()
`
