import type { CliContext } from '../../cli/cli-context.ts'
import { escapeForeign, shownJson } from '../../ground/model/foreign-text.ts'
import { present } from '../../ground/model/present.ts'
import { countOf } from '../../ground/text/count-text.ts'
import type { RollHistory } from '../../roll/cli/roll-actions.ts'
import { fittedReport } from '../../roll/report/fitted-report.ts'
import { reportDocument } from '../../roll/report/report-document.ts'
import { type PlanRemover, planRemover, redactLines, redactValue } from '../decide/bundle/redact.ts'
import type { BundleActions, BundledFile, BundleFlags } from './bundle-actions.ts'

interface BundleAsk {
  readonly run: string | undefined
  readonly flags: BundleFlags
}

const ABOUT_FILES: Readonly<Record<string, string>> = {
  'journal.jsonl': 'the input of the roll, its decisions, its actions and what it read; one JSON object per line',
  'latency.jsonl': 'the latency of each second',
  'report.html': 'the report as a page, made from the redacted journal',
  'report.json': 'the same report as data',
  'about.json': 'version, machine and terminal; names of environment variables without their values',
  'README.txt': 'this list',
}

const SHOWN_MAX = 1000

/** `evenkeel bundle`: reads a run, removes secrets, and writes the rest as one file. */
export async function bundleRun(
  context: CliContext,
  actions: BundleActions,
  { run, flags }: BundleAsk,
): Promise<number> {
  const { stateDir, to, output } = flags
  const stored = await actions.read({
    ...present({ stateDir, run }),
  })
  const atMs = context.clock.wallMs()
  const { problem } = stored
  const ofPlan = planRemover(stored.journal)
  const about = redactValue(
    {
      at: new Date(atMs).toISOString(),
      run: stored.run,
      ...actions.about(),
      ...present({ problem }),
    },
    ofPlan,
  )
  const journal = redactLines(stored.journal)
  const latency = redactLines(stored.latency ?? '')
  const files: readonly BundledFile[] = [
    { path: 'journal.jsonl', text: journal.value },
    ...(stored.latency === undefined ? [] : [{ path: 'latency.jsonl', text: latency.value }]),
    ...(stored.history === undefined ? [] : reportFiles(stored.history, ofPlan)),
    { path: 'about.json', text: jsonText(about.value) },
  ]
  const names = [...files.map(({ path }) => path), 'README.txt']
  const readme = names.map((name) => `${name.padEnd(15)}${ABOUT_FILES[name]}\n`).join('')
  const folder = `evenkeel-${stored.run}`
  const file = to ?? `${folder}.tar.gz`
  const packed = [...files, { path: 'README.txt', text: readme }].map(({ path, text }) => ({
    path: `${folder}/${path}`,
    text,
  }))
  const bytes = await actions.write(file, packed, atMs)
  const removed = journal.removed + latency.removed + about.removed
  context.out.write(
    output === 'json'
      ? jsonText({ v: '1.0', file, bytes, removed, files: names })
      : resultText({ file, removed, names, problem }),
  )
  return 0
}

/** Made from redacted data, so that they contain nothing else. */
function reportFiles(history: RollHistory, ofPlan: PlanRemover): readonly BundledFile[] {
  const document = redactValue(reportDocument(redactValue(history, ofPlan).value)).value
  return [
    { path: 'report.html', text: fittedReport(document).html },
    { path: 'report.json', text: jsonText(document) },
  ]
}

interface Written {
  readonly file: string
  readonly removed: number
  readonly names: readonly string[]
  readonly problem: string | undefined
}

const resultText = ({ file, removed, names, problem }: Written): string => `\
wrote ${escapeForeign(file, SHOWN_MAX)} with ${countOf(names.length, 'file')}: ${names.join(', ')}
${problem === undefined ? '' : `The journal cannot be read, so there is no report: ${escapeForeign(problem, SHOWN_MAX)}\n`}\
Removed ${countOf(removed, 'value')} that ${removed === 1 ? 'looks like a secret' : 'look like secrets'}.
Read the files before you send them. No program finds every secret.
Names of nodes, pods and hosts are still in them, because they are needed to help.
`

const jsonText = (value: unknown): string => `${shownJson(value, null, 2)}\n`
