"""The files of `deploy/`: what they name exists, and what reads them takes them."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from importlib.metadata import entry_points, version
from typing import Any

import pytest
import yaml

from sqale_assets.settings import REPOSITORY, Settings

DEPLOY = REPOSITORY / "deploy"
OURS = ("web", "daemon", "worker", "bucket")


def read(name: str) -> Any:
    return yaml.safe_load((DEPLOY / name).read_text())


def variables(configuration: Any) -> set[str]:
    """The names of the variables that a Dagster YAML file reads."""
    return set(re.findall(r"\benv: (\w+)", yaml.safe_dump(configuration)))


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return read("compose.yaml")


def test_compose_takes_the_file():
    command = shutil.which("docker-compose")
    if command is None:
        pytest.skip("docker-compose is not installed (Debian: apt-get install docker-compose)")
    run = subprocess.run([command, "-f", DEPLOY / "compose.yaml", "config", "-q"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_every_container_has_what_dagster_yaml_reads(compose):
    wanted = variables(read("dagster.yaml")) | variables(read("celery.yaml"))
    assert {"SQALE_POSTGRES_HOST", "SQALE_REDIS"} <= wanted
    for name in ("web", "daemon", "worker"):
        service = compose["services"][name]
        assert wanted <= set(service["environment"]), name
        assert service["env_file"] == "sqale.env" and (DEPLOY / "sqale.env").exists()


def test_commands_and_paths_exist(compose):
    installed = {script.name for script in entry_points(group="console_scripts")} | {"python"}
    for name in OURS:
        program, *arguments = compose["services"][name]["command"]
        if program != "dagster-celery" or "celery" in installed:  # an extra that the tests do without
            assert program in installed, name
        for argument in arguments:
            if argument.endswith((".yaml", ".py")):
                assert (REPOSITORY / argument).exists(), argument


def test_what_services_refer_to_is_there(compose):
    services = compose["services"]
    for name, service in services.items():
        assert set(service.get("depends_on", ())) <= set(services), name
        for volume in service.get("volumes", ()):
            source = volume.rsplit(":/", 1)[0]
            assert source in compose["volumes"] or source.startswith("$"), volume


def test_the_image_holds_what_the_commands_need():
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    for line in re.findall(r"^COPY (.+) \S+$", dockerfile, re.MULTILINE):
        for path in line.split():
            assert (REPOSITORY / path).exists(), path
    extras = re.search(r"--editable '\.\[([\w,]+)\]'", dockerfile).group(1).split(",")
    optional = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(extras) <= set(optional)


def test_settings_of_the_environment_file_are_settings():
    names = re.findall(r"^#?SQALE_(\w+)=", (DEPLOY / "sqale.env").read_text(), re.MULTILINE)
    assert names and {name.lower() for name in names} <= set(Settings.model_fields)


@pytest.fixture(scope="module")
def values() -> dict[str, Any]:
    return read("kubernetes/values.yaml")


def test_the_chart_is_of_the_dagster_that_is_installed():
    named = re.search(r"--version (\S+)", (DEPLOY / "kubernetes" / "values.yaml").read_text()).group(1)
    assert named == version("dagster")


def test_the_code_location_loads_what_the_image_holds(values):
    (deployment,) = values["dagster-user-deployments"]["deployments"]
    assert deployment["dagsterApiGrpcArgs"] == ["--module-name", "sqale_assets.definitions"]
    mounted = {mount["name"] for mount in deployment["volumeMounts"]}
    assert mounted == {volume["name"] for volume in deployment["volumes"]}
    settings = {name[6:].lower() for name in deployment["env"] if name.startswith("SQALE_")}
    assert settings <= set(Settings.model_fields)


def test_the_run_launcher_takes_its_configuration(values):
    """The chart writes the launcher's section of dagster.yaml from these values; the launcher's own schema reads it."""
    pytest.importorskip("dagster_k8s", reason="dagster-k8s comes with .[kubernetes]")
    from dagster._config import process_config, resolve_to_config_type
    from dagster_k8s import K8sRunLauncher
    from dagster_k8s.models import k8s_model_from_dict
    from kubernetes.client import V1JobSpec, V1Volume, V1VolumeMount

    launcher = values["runLauncher"]["config"]["k8sRunLauncher"]
    job = launcher["runK8sConfig"]["jobSpecConfig"]
    section = {
        "service_account_name": "sqale-dagster",
        "instance_config_map": "sqale-dagster-instance",
        "postgres_password_secret": values["global"]["postgresqlSecretName"],
        "dagster_home": "/opt/dagster/dagster_home",
        "load_incluster_config": launcher["loadInclusterConfig"],
        "image_pull_policy": launcher["imagePullPolicy"],
        "fail_pod_on_run_failure": launcher["failPodOnRunFailure"],
        "run_k8s_config": {"job_spec_config": _snake(job)},
    }
    outcome = process_config(resolve_to_config_type(K8sRunLauncher.config_type()), section)
    assert outcome.success, outcome.errors
    (deployment,) = values["dagster-user-deployments"]["deployments"]
    for volume in deployment["volumes"]:
        k8s_model_from_dict(V1Volume, _snake(volume))
    for mount in deployment["volumeMounts"]:
        k8s_model_from_dict(V1VolumeMount, _snake(mount))
    k8s_model_from_dict(V1JobSpec, {**_snake(job), "template": {}})


def test_the_instance_takes_what_is_added_to_it(values):
    from dagster._config import Shape, process_config, resolve_to_config_type
    from dagster._core.instance.config import dagster_instance_config_schema

    schema = resolve_to_config_type(Shape(dagster_instance_config_schema()))
    daemon = values["dagsterDaemon"]
    monitoring = {
        "enabled": True, "start_timeout_seconds": daemon["runMonitoring"]["startTimeoutSeconds"],
        "poll_interval_seconds": daemon["runMonitoring"]["pollIntervalSeconds"],
        "max_resume_run_attempts": daemon["runMonitoring"]["maxResumeRunAttempts"],
    }  # fmt: skip
    retention = {
        name: {"purge_after_days": values["retention"][name]["purgeAfterDays"]} for name in ("schedule", "sensor")
    }
    instance = {
        "run_monitoring": monitoring, "retention": retention, "telemetry": values["telemetry"],
        **values["additionalInstanceConfig"],
    }  # fmt: skip
    outcome = process_config(schema, instance)
    assert outcome.success, outcome.errors


def _snake(value: Any) -> Any:
    """Kubernetes' camelCase names as its Python client spells them."""
    if isinstance(value, dict):
        return {re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower(): _snake(each) for name, each in value.items()}
    return [_snake(each) for each in value] if isinstance(value, list) else value
