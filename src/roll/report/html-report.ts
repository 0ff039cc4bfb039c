import { html, type Markup } from './markup.ts'
import { comparisonSection } from './page/comparison-section.ts'
import { evidenceSection } from './page/evidence-section.ts'
import { latencySection } from './page/latency-section.ts'
import { nodesSection } from './page/nodes-section.ts'
import { rulesSection } from './page/rules-section.ts'
import { timelineSection } from './page/timeline-section.ts'
import { verdictSection } from './page/verdict-section.ts'
import { windowsSection } from './page/windows-section.ts'
import { pageShell } from './page-shell.ts'
import type { ReportDocument } from './report-document.ts'
import { PAGE_SCRIPT } from './script/page-script.ts'
import { reportTitle } from './verdict.ts'

/**
 * The page as one file, complete without script and without style.
 *
 * Law: the page of a report loads nothing and runs no script but its own.
 */
export function htmlReport(report: ReportDocument): string {
  const body = html`${themeSwitch()}
${verdictSection(report)}${timelineSection(report)}${comparisonSection(report)}${windowsSection(report)}${latencySection(report)}${nodesSection(report)}${rulesSection(report)}${evidenceSection(report)}`
  return pageShell({ title: reportTitle(report), body, data: report, script: PAGE_SCRIPT })
}

const themeSwitch =
  (): Markup => html`<div class="theme script-only" role="radiogroup" aria-labelledby="theme-name" hidden><span id="theme-name">Colours</span>
<label><input type="radio" name="theme" value="" checked> as the system</label><label><input type="radio" name="theme" value="light"> light</label><label><input type="radio" name="theme" value="dark"> dark</label></div>`
