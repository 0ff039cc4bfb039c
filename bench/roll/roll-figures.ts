import type { Figure } from '../report/figure.ts'
import type { NodeCost } from './node-cost.ts'
import type { RollDocument } from './roll-document.ts'

const SCRIPT = 'bare script'

/** Ours, and the bare script's beside it where it was run. */
export function rollFigures(documents: readonly RollDocument[]): readonly Figure[] {
  const ours = documents.find(({ way }) => way === 'evenkeel')
  if (ours === undefined || ours.nodes.length === 0) return []
  const script = documents.find(({ way }) => way === 'script')
  return [...timeFigures(ours, script), failedFigure(ours, script), ...requestFigures(ours)]
}

function timeFigures(ours: RollDocument, script: RollDocument | undefined): readonly Figure[] {
  const whole = { part: 'roll', name: 'a node, whole, mean', value: meanS(ours.nodes), unit: 's' } as const
  const [besideHeartbeat, withHeartbeat] = [worst(ours, 'overheadBesideHeartbeatMs'), worst(ours, 'overheadMs')]
  if (script === undefined) return [whole, besideHeartbeat, withHeartbeat]
  const beside = (value: number): Pick<Figure, 'beside'> => ({ beside: { name: SCRIPT, value } })
  const scriptS = meanS(script.nodes)
  return [
    { ...whole, ...beside(scriptS) },
    { ...whole, name: `a node beyond the ${SCRIPT}, mean`, value: hundredths(whole.value - scriptS) },
    { ...besideHeartbeat, ...beside(worst(script, 'overheadBesideHeartbeatMs').value) },
    { ...withHeartbeat, ...beside(worst(script, 'overheadMs').value) },
  ]
}

/** Of the node that comes off worst. */
function worst(
  { nodes }: RollDocument,
  measure: 'overheadMs' | 'overheadBesideHeartbeatMs',
): Figure & { readonly goal: number } {
  const [node] = nodes.toSorted((a, b) => b[measure] - a[measure])
  return {
    part: 'roll',
    name: `overhead of a node, worst${measure === 'overheadMs' ? ', with the wait for a heartbeat' : ''}`,
    value: hundredths((node?.[measure] ?? 0) / 1_000),
    unit: 's',
    goal: hundredths((node?.goalMs ?? 0) / 1_000),
  }
}

function failedFigure(ours: RollDocument, script: RollDocument | undefined): Figure {
  const failed = ({ judged }: RollDocument): number =>
    Object.values(judged.streams).reduce((sum, { failedRequests }) => sum + failedRequests, 0)
  const sent = Object.values(ours.judged.streams).reduce((sum, { sentRequests }) => sum + sentRequests, 0)
  return {
    part: 'roll',
    name: `failed of ${sent} requests`,
    value: failed(ours),
    unit: '',
    goal: 0,
    ...(script === undefined ? {} : { beside: { name: SCRIPT, value: failed(script) } }),
  }
}

function requestFigures({ nodes, requests }: RollDocument): readonly Figure[] {
  const each = (name: string, count: number): Figure => ({
    part: 'roll',
    name: `API requests a node${name}`,
    value: Math.round((10 * count) / nodes.length) / 10,
    unit: '',
  })
  return [each('', requests.total), ...Object.entries(requests.byVerb).map(([verb, count]) => each(`, ${verb}`, count))]
}

const hundredths = (value: number): number => Math.round(value * 100) / 100

const meanS = (nodes: readonly NodeCost[]): number =>
  hundredths(nodes.reduce((sum, { tookMs }) => sum + tookMs, 0) / nodes.length / 1_000)
