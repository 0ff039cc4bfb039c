import { whyTexts } from '../../cli/roll/need-lines.ts'
import { formatDuration } from '../../model/duration.ts'
import { probeText } from '../document/settings-document.ts'
import { html, type Markup } from '../markup.ts'
import type { ReportDocument } from '../report-document.ts'

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
  const { run, tool, journal, settings, nodes, exitCode, origin } = report
  const order = nodes.map(({ name }) => name).join(', ')
  return [
    ['run', run],
    ...(origin.reason === undefined ? [] : [['reason', origin.reason] as const]),
    ['context', origin.context ?? '-'],
    ['API server', origin.server ?? '-'],
    ['user', origin.user ?? '-'],
    ['exit code', exitCode === null ? 'none yet' : String(exitCode)],
    ['from', report.startedAt ?? '?'],
    ['to', report.lastAt],
    ['order', order],
    ...whyTexts(report.needed ?? []).map((text) => ['needed', text] as const),
    ...whyTexts(report.skipped ?? []).map((text) => ['skipped', text] as const),
    ...(tool === null ? [] : [['version', `evenkeel ${tool}`] as const]),
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
