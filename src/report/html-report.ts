import { createHash } from 'node:crypto'
import { constantMarkup, html, type Markup, scriptJson } from './markup.ts'
import { comparisonSection } from './page/comparison-section.ts'
import { evidenceSection } from './page/evidence-section.ts'
import { latencySection } from './page/latency-section.ts'
import { nodesSection } from './page/nodes-section.ts'
import { timelineSection } from './page/timeline-section.ts'
import { verdictSection } from './page/verdict-section.ts'
import { windowsSection } from './page/windows-section.ts'
import { PAGE_STYLE } from './page-style.ts'
import type { ReportDocument } from './report-document.ts'
import { PAGE_SCRIPT } from './script/page-script.ts'
import { patternDefinitions } from './timeline/drawing-parts.ts'
import { reportTitle } from './verdict.ts'

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Nothing may be fetched, framed or sent; the one style and the one script are known by what is in them. */
const policy = (): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(PAGE_STYLE)}`,
    `script-src ${hashOf(PAGE_SCRIPT)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')

/**
 * The page as one file: complete without script and without style.
 *
 * Law: the page of a report loads nothing and runs no script but its own.
 */
export function htmlReport(report: ReportDocument): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${constantMarkup(policy())}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${reportTitle(report)}</title>
<style>${constantMarkup(PAGE_STYLE)}</style>
</head>
<body>
${patternDefinitions()}
${themeSwitch()}
<p class="print-only">${report.cluster}, ${(report.startedAt ?? report.lastAt).slice(0, 10)}, run ${report.run}</p>
<main>
${verdictSection(report)}${comparisonSection(report.plans)}${timelineSection(report)}${windowsSection(report)}${latencySection(report)}${nodesSection(report)}${evidenceSection(report)}</main>
<script type="application/json" id="data">${scriptJson(report)}</script>
<script>${constantMarkup(PAGE_SCRIPT)}</script>
</body>
</html>
`
  return page.text
}

const themeSwitch =
  (): Markup => html`<div class="theme script-only" role="radiogroup" aria-labelledby="theme-name" hidden><span id="theme-name">Colours</span>
<label><input type="radio" name="theme" value="" checked> as the system</label><label><input type="radio" name="theme" value="light"> light</label><label><input type="radio" name="theme" value="dark"> dark</label></div>`
