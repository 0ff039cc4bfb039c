import type { InputGround } from './input-ground.ts'
import { begun, type InputRow, type StoredJournal } from './input-row.ts'

const RUN = '20261121T061439Z-1f0e'
const OLDER = '20261120T061439Z-77aa'

const header = (run: string, cluster: string, v = 1): string =>
  `${JSON.stringify({ at: '2026-11-21T06:14:39.000Z', type: 'journal', v, run, cluster, tool: '0.1.0' })}\n`

const stored = (run: string, text: string): readonly StoredJournal[] => [{ run, text }]

const OTHER_CLUSTER = '00000000-0000-4000-8000-000000000000'
const NONE: Pick<InputRow, 'code' | 'names' | 'fix'> = {
  code: 'journal.none',
  names: ['there is no journal of a roll in '],
  fix: 'name the directory with --state-dir, or begin a roll: evenkeel roll -f roll.yaml; if the journal is lost: evenkeel roll abort -f roll.yaml',
}
const OTHER_VERSION: Pick<InputRow, 'code' | 'names' | 'fix'> = {
  code: 'journal.version',
  names: [`the journal of run ${RUN} has format 2; this Even Keel reads format 1`],
  fix: 'use the version of Even Keel that began the run',
}
const newer = ({ clusterUid }: InputGround): readonly StoredJournal[] => stored(RUN, header(RUN, clusterUid, 2))

const NO_JOURNAL: readonly InputRow[] = ['resume', 'abort', 'status', 'report'].map((name) => ({
  title: `no journal to ${name}`,
  words: () => ['roll', name],
  ...NONE,
}))

/** The journal of a run to go on with, or the place for a new one. */
export const JOURNAL_ROWS: readonly InputRow[] = [
  ...NO_JOURNAL,
  {
    title: 'a run that is not there',
    words: () => ['roll', 'resume', RUN],
    journals: ({ clusterUid }) => stored(OLDER, header(OLDER, clusterUid)),
    code: 'journal.unknown-run',
    names: [`no run "${RUN}" in /`],
    fix: `name its directory with --state-dir; if the journal is lost: evenkeel roll abort ${RUN} -f roll.yaml`,
  },
  {
    title: 'a run that would lead out of the state directory',
    words: () => ['roll', 'abort', '../../etc'],
    code: 'journal.unknown-run',
    names: ['no run "../../etc" in /'],
    fix: 'name the run by its directory; without a name it is the run begun last',
  },
  ...['resume', 'abort'].map((name) => ({
    title: `the journal of another cluster to ${name}`,
    words: () => ['roll', name, RUN],
    journals: () => stored(RUN, header(RUN, OTHER_CLUSTER)),
    code: 'journal.other-cluster',
    names: [`run ${RUN} belongs to cluster ${OTHER_CLUSTER}; this is `],
    fix: 'choose the context of the cluster on which the run was begun',
  })),
  {
    title: 'the journal of another version',
    words: () => ['roll', 'resume', RUN],
    journals: newer,
    ...OTHER_VERSION,
  },
  {
    title: 'the journal of another version, as the newest there is',
    words: () => ['roll', 'resume'],
    journals: (ground) => [...stored(OLDER, header(OLDER, ground.clusterUid)), ...newer(ground)],
    ...OTHER_VERSION,
  },
  {
    title: 'a journal that another process works on',
    words: () => ['roll', 'resume'],
    journals: ({ clusterUid }) => [{ run: RUN, text: header(RUN, clusterUid), inUse: true }],
    code: 'journal.in-use',
    names: [`another process works on run ${RUN}`],
    fix: 'wait until it has ended, or stop it with Ctrl-C',
  },
  {
    title: 'a journal with a line that is none',
    words: () => ['roll', 'resume'],
    journals: ({ clusterUid }) => {
      const entry = '{"at":"2026-11-21T06:14:39.000Z","type":"planned"}\n'
      return stored(RUN, `${header(RUN, clusterUid)}what?\n${entry}`)
    },
    code: 'journal.damaged',
    names: [`/${RUN}/journal.jsonl cannot be trusted: line 2 is not an entry, and others follow it`],
    fix: 'restore the file; or move its directory away, then: evenkeel roll abort -f roll.yaml',
  },
  {
    title: 'a journal that ends before its plan',
    words: () => ['roll', 'resume'],
    journals: ({ clusterUid }) => stored(RUN, header(RUN, clusterUid)),
    code: 'journal.no-plan',
    names: [`the journal of run ${RUN} ends before its plan: nothing was begun`],
    fix: 'begin a new roll',
  },
  {
    title: 'a state directory that cannot be made',
    words: (ground) => begun(ground.file(), '--state-dir', `${ground.write('file', '')}/state`),
    code: 'journal.state-dir',
    names: ['cannot use /', ' for the journal: ENOTDIR'],
    fix: 'choose a directory of your own with --state-dir',
  },
  {
    title: 'a file for the events that cannot be written',
    words: (ground) => begun(ground.file(), '--events', '/nowhere/events.jsonl'),
    code: 'file.write',
    names: ['cannot write /nowhere/events.jsonl: no such file or directory (ENOENT)'],
    fix: 'name a file that can be written',
  },
]
