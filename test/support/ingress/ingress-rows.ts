import { annotationRows } from './annotation-rows.ts'
import { budgetRows } from './budget-rows.ts'
import type { IngressRow } from './ingress-row.ts'
import { podRows } from './pod-rows.ts'
import { shapeRows } from './shape-rows.ts'

/** Objects, and what is to be said of each: by the program, and by the API server where it is an error. */
export const INGRESS_ROWS: readonly IngressRow[] = [...budgetRows, ...annotationRows, ...podRows, ...shapeRows]
