const GROUP = 'admissionregistration.k8s.io/v1'

/** Refuses each change of the labels of a pod. */
export const LABELS_POLICY: readonly object[] = [
  {
    apiVersion: GROUP,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'labels' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['pods'] }],
      },
      validations: [
        {
          expression: 'object.metadata.?labels == oldObject.metadata.?labels',
          message: 'labels of pods may not change',
        },
      ],
    },
  },
  {
    apiVersion: GROUP,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'labels' },
    spec: { policyName: 'labels', validationActions: ['Deny'] },
  },
]

const ADMISSION = '/apis/admissionregistration.k8s.io/v1'

export const POLICY_PATHS = {
  policies: `${ADMISSION}/validatingadmissionpolicies`,
  bindings: `${ADMISSION}/validatingadmissionpolicybindings`,
}

/** How the API server words the refusal. */
export const REFUSED_BY_POLICY =
  /ValidatingAdmissionPolicy 'labels' with binding 'labels' denied request: labels of pods may not change/
