import { formatDuration } from '../../../ground/model/duration.ts'
import { probeText } from '../document/settings-document.ts'
import { html, type Markup } from '../markup.ts'
import { originFacts } from '../origin-facts.ts'
import type { ReportDocument } from '../report-document.ts'
import { whyTexts } from '../view/need-lines.ts'

export function evidenceSection(report: ReportDocument): Markup {
  const warnings = report.warnings.filter(({ node }) => node === null)
  return html`<section id="evidence" aria-labelledby="evidence-heading"><h2 id="evidence-heading">Evidence</h2>
<dl>
${evidenceFacts(report).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
${warnings.length === 0 ? '' : html`<h3>Warnings</h3><ul>${warnings.map(({ at, text }) => html`<li>${at.slice(11, 19)}Z ${text}</li>`)}</ul>`}
<p class="script-only" hidden><button type="button" data-do="save">Save the data (JSON)</button></p>
</section>
`
}

function evidenceFacts(report: ReportDocument): readonly (readonly [string, string | Markup])[] {
  const { run, journal, settings, nodes, exitCode } = report
  const order = nodes.map(({ name }) => name).join(', ')
  return [
    ['run', run],
    ['exit code', exitCode === null ? 'none yet' : String(exitCode)],
    ['from', report.startedAt ?? '?'],
    ['to', report.lastAt],
    ['order', order],
    ...whyTexts(report.needed ?? []).map((text) => ['needed', text] as const),
    ...whyTexts(report.skipped ?? []).map((text) => ['skipped', text] as const),
    ...originFacts(report),
    ...(journal === null ? [] : [['journal', journal] as const]),
    ...(settings === null
      ? [['settings', 'not in these events'] as const]
      : [
          ['roll file', settings.name] as const,
          ...settings.probes.map((probe) => ['probe', `${probe.name}, ${probe.url}, ${probeText(probe)}`] as const),
          ...settings.balancers.map(
            ({ name, instances, backends }) =>
              ['balancer', `${name}: ${backends.join(', ')} on ${instances.join(', ')}`] as const,
          ),
          [
            'limits',
            Object.entries(settings.limitsMs)
              .map(([name, ms]) => `${name} ${formatDuration(ms)}`)
              .join(', '),
          ] as const,
        ]),
    ['again', html`<code>evenkeel roll report ${run}</code>`],
  ]
}
