//! The indexed job for Kubernetes.

use serde_json::{Value, json};

use super::{KubernetesOptions, KubernetesPlace, SuiteJob};

/// The folder in which the container finds its keys.
const KEYS: &str = "/var/run/franz-keys";

/// The longest part of a suite's name in the name of its job. Kubernetes adds five characters, and a part's index; with
/// them, the name is also a host name, which has at most 63 characters.
const LONGEST: usize = 40;

impl SuiteJob {
    /// Returns the manifest for `kubectl create`. Each submission creates a separate job, because Kubernetes does not
    /// run a job again.
    pub fn kubernetes(&self, options: &KubernetesOptions) -> Value {
        let results = self.results.to_string_lossy();
        let mut mounts = vec![json!({ "name": "memory", "mountPath": "/dev/shm" })];
        let mut volumes = vec![json!({ "name": "memory", "emptyDir": { "medium": "Memory", "sizeLimit": "512Mi" } })];
        let (mut variables, mut sources) = (Vec::new(), Vec::new());
        match &options.place {
            KubernetesPlace::Claim(claim) => {
                mounts.push(json!({ "name": "results", "mountPath": results }));
                volumes.push(json!({ "name": "results", "persistentVolumeClaim": { "claimName": claim } }));
            }
            KubernetesPlace::StoreSecret(secret) => sources.push(json!({ "secretRef": { "name": secret } })),
        }
        if let Some(secret) = &options.secret {
            mounts.push(json!({ "name": "keys", "mountPath": KEYS, "readOnly": true }));
            // The files are root's, but the container's user is another.
            volumes.push(json!({ "name": "keys", "secret": { "secretName": secret, "defaultMode": 0o444 } }));
            variables.extend(
                options.variables.iter().map(
                    |variable| json!({ "name": format!("{variable}_FILE"), "value": format!("{KEYS}/{variable}") }),
                ),
            );
        }
        json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": { "generateName": format!("franz-{}-", self.label()) },
            "spec": {
                "completionMode": "Indexed",
                "completions": self.shards,
                "parallelism": options.parallel,
                "backoffLimitPerIndex": 3,
                "maxFailedIndexes": self.shards,
                "podReplacementPolicy": "Failed",
                "podFailurePolicy": { "rules": [
                    // A node that goes away is nobody's fault.
                    { "action": "Ignore", "onPodConditions": [{ "type": "DisruptionTarget", "status": "True" }] },
                    // Wrong usage stays wrong, but it may be that of one node: the other parts go on.
                    {
                        "action": "FailIndex",
                        "onExitCodes": { "containerName": "franz", "operator": "In", "values": [2] },
                    },
                ] },
                "template": { "spec": {
                    "restartPolicy": "Never",
                    "terminationGracePeriodSeconds": 60,
                    "automountServiceAccountToken": false,
                    "containers": [{
                        "name": "franz",
                        "image": options.image,
                        "command": self.words(),
                        "env": variables,
                        "envFrom": sources,
                        "resources": {
                            "requests": { "cpu": self.jobs.to_string(), "memory": format!("{}Gi", self.jobs) },
                            "limits": { "memory": format!("{}Gi", 2 * self.jobs) },
                        },
                        "volumeMounts": mounts,
                    }],
                    "volumes": volumes,
                } },
            },
        })
    }

    /// Returns the suite's name as a part of a label, which has letters, digits and hyphens and ends with no hyphen.
    fn label(&self) -> String {
        let mut name = self.suite.as_str().replace(['.', '_'], "-");
        name.truncate(LONGEST);
        name.trim_end_matches('-').to_owned()
    }
}
