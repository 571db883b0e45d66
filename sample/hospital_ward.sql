-- SPDX-License-Identifier: CC0-1.0
-- Licence CC0, public domain. Written for this project; every person and value is invented.
-- phpMyAdmin SQL Dump
-- version 5.1.1
-- https://www.phpmyadmin.net/
--
-- Host: localhost
-- Generation Time: Mar 11, 2024 at 09:14 AM
-- Server version: 10.4.21-MariaDB
-- PHP Version: 8.0.12

SET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";
START TRANSACTION;
SET time_zone = "+00:00";

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET NAMES utf8mb4 */;

--
-- Database: `hospital_ward`
--

-- --------------------------------------------------------

--
-- Table structure for table `wards`
--

CREATE TABLE `wards` (
  `id` int(10) UNSIGNED NOT NULL,
  `name` varchar(60) NOT NULL,
  `floor` tinyint(3) NOT NULL DEFAULT 0,
  `phone_extension` varchar(8) DEFAULT NULL,
  `head_nurse_id` int(10) UNSIGNED DEFAULT NULL COMMENT 'staff member in charge of the ward'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='Inpatient wards of the hospital';

--
-- Dumping data for table `wards`
--

INSERT INTO `wards` (`id`, `name`, `floor`, `phone_extension`, `head_nurse_id`) VALUES
(1, 'Cardiology', 3, '3100', 4),
(2, 'Orthopaedics', 2, '2100', 5),
(3, 'Paediatrics', 1, '1100', 6),
(4, 'Intensive Care', 4, '4100', NULL);

-- --------------------------------------------------------

--
-- Table structure for table `beds`
--

CREATE TABLE `beds` (
  `ward_id` int(10) UNSIGNED NOT NULL,
  `bed_number` smallint(5) UNSIGNED NOT NULL,
  `has_monitor` tinyint(1) NOT NULL DEFAULT 0,
  `status` enum('free','occupied','cleaning','out of service') NOT NULL DEFAULT 'free'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `beds` (`ward_id`, `bed_number`, `has_monitor`, `status`) VALUES
(1, 1, 1, 'occupied'),
(1, 2, 1, 'free'),
(1, 3, 0, 'cleaning'),
(2, 1, 0, 'occupied'),
(2, 2, 0, 'occupied'),
(3, 1, 0, 'free'),
(4, 1, 1, 'occupied'),
(4, 2, 1, 'out of service');

-- --------------------------------------------------------

--
-- Table structure for table `staff`
--

CREATE TABLE `staff` (
  `id` int(10) UNSIGNED NOT NULL,
  `first_name` varchar(40) NOT NULL,
  `last_name` varchar(40) NOT NULL,
  `role` enum('physician','surgeon','nurse','pharmacist') NOT NULL,
  `speciality` varchar(60) DEFAULT NULL,
  `ward_id` int(10) UNSIGNED DEFAULT NULL,
  `supervisor_id` int(10) UNSIGNED DEFAULT NULL,
  `email` varchar(120) NOT NULL,
  `hired_on` date NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `staff` (`id`, `first_name`, `last_name`, `role`, `speciality`, `ward_id`, `supervisor_id`, `email`, `hired_on`) VALUES
(1, 'Orla', 'Fennimore', 'physician', 'Cardiology', 1, NULL, 'o.fennimore@hospital.example.com', '2009-04-01'),
(2, 'Tobias', 'Wrenfield', 'surgeon', 'Orthopaedic surgery', 2, NULL, 't.wrenfield@hospital.example.com', '2012-09-17'),
(3, 'Ines', 'Calderwood', 'physician', 'Paediatrics', 3, 1, 'i.calderwood@hospital.example.com', '2016-01-11'),
(4, 'Marit', 'Oakhurst', 'nurse', NULL, 1, 1, 'm.oakhurst@hospital.example.com', '2014-06-02'),
(5, 'Dario', 'Pellworth', 'nurse', NULL, 2, 2, 'd.pellworth@hospital.example.com', '2018-03-26'),
(6, 'Selma', 'Ashgrove', 'nurse', NULL, 3, 3, 's.ashgrove@hospital.example.com', '2019-11-04'),
(7, 'Nuno', 'Tarrick', 'pharmacist', NULL, NULL, 1, 'n.tarrick@hospital.example.com', '2020-02-10');

-- --------------------------------------------------------

--
-- Table structure for table `patients`
--

CREATE TABLE `patients` (
  `id` int(10) UNSIGNED NOT NULL,
  `record_number` char(10) NOT NULL COMMENT 'number printed on the wristband',
  `first_name` varchar(40) NOT NULL,
  `last_name` varchar(40) NOT NULL,
  `date_of_birth` date NOT NULL,
  `sex` enum('F','M','X') NOT NULL,
  `blood_type` enum('0+','0-','A+','A-','B+','B-','AB+','AB-') DEFAULT NULL,
  `phone` varchar(20) DEFAULT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `patients` (`id`, `record_number`, `first_name`, `last_name`, `date_of_birth`, `sex`, `blood_type`, `phone`) VALUES
(1, 'HW-0001042', 'Greta', 'Lindqvale', '1958-02-14', 'F', 'A+', '555-0101'),
(2, 'HW-0001043', 'Osman', 'Birchley', '1991-07-30', 'M', '0+', '555-0102'),
(3, 'HW-0001077', 'Lucia', 'Farrowmere', '2017-12-05', 'F', NULL, '555-0103'),
(4, 'HW-0001101', 'Pieter', 'Hollowick', '1943-10-21', 'M', 'B-', NULL),
(5, 'HW-0001120', 'Amara', 'Stonebridge', '1979-05-09', 'F', 'AB+', '555-0105'),
(6, 'HW-0001133', 'Renzo', 'Quillby', '2004-03-18', 'M', '0-', '555-0106');

-- --------------------------------------------------------

--
-- Table structure for table `admissions`
--

CREATE TABLE `admissions` (
  `id` int(10) UNSIGNED NOT NULL,
  `patient_id` int(10) UNSIGNED NOT NULL,
  `ward_id` int(10) UNSIGNED NOT NULL,
  `bed_number` smallint(5) UNSIGNED DEFAULT NULL,
  `attending_id` int(10) UNSIGNED NOT NULL,
  `admitted_at` datetime NOT NULL,
  `discharged_at` datetime DEFAULT NULL,
  `reason` varchar(200) NOT NULL,
  `urgency` enum('elective','urgent','emergency') NOT NULL DEFAULT 'elective'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `admissions` (`id`, `patient_id`, `ward_id`, `bed_number`, `attending_id`, `admitted_at`, `discharged_at`, `reason`, `urgency`) VALUES
(1, 1, 1, 1, 1, '2024-02-26 08:40:00', NULL, 'Chest pain, suspected angina', 'emergency'),
(2, 2, 2, 1, 2, '2024-03-01 13:15:00', NULL, 'Fracture of the left tibia', 'urgent'),
(3, 3, 3, 1, 3, '2024-01-18 10:05:00', '2024-01-20 09:30:00', 'Tonsillectomy', 'elective'),
(4, 4, 4, 1, 1, '2024-03-05 02:50:00', NULL, 'Acute heart failure', 'emergency'),
(5, 5, 2, 2, 2, '2024-03-08 07:30:00', NULL, 'Hip replacement', 'elective'),
(6, 6, 2, 1, 2, '2023-11-12 16:20:00', '2023-11-15 11:00:00', 'Torn cruciate ligament', 'urgent');

-- --------------------------------------------------------

--
-- Table structure for table `diagnoses`
--

CREATE TABLE `diagnoses` (
  `code` varchar(7) NOT NULL,
  `title` varchar(160) NOT NULL,
  `chapter` varchar(80) NOT NULL,
  `parent_code` varchar(7) DEFAULT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `diagnoses` (`code`, `title`, `chapter`, `parent_code`) VALUES
('I20', 'Angina pectoris', 'Circulatory system', NULL),
('I20.0', 'Unstable angina', 'Circulatory system', 'I20'),
('I50', 'Heart failure', 'Circulatory system', NULL),
('J35', 'Chronic diseases of tonsils', 'Respiratory system', NULL),
('M16', 'Coxarthrosis', 'Musculoskeletal system', NULL),
('S82', 'Fracture of lower leg', 'Injury', NULL),
('S82.2', 'Fracture of shaft of tibia', 'Injury', 'S82');

-- --------------------------------------------------------

--
-- Table structure for table `admission_diagnoses`
--

CREATE TABLE `admission_diagnoses` (
  `admission_id` int(10) UNSIGNED NOT NULL,
  `diagnosis_code` varchar(7) NOT NULL,
  `is_primary` tinyint(1) NOT NULL DEFAULT 0,
  `noted_on` date NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `admission_diagnoses` (`admission_id`, `diagnosis_code`, `is_primary`, `noted_on`) VALUES
(1, 'I20.0', 1, '2024-02-26'),
(2, 'S82.2', 1, '2024-03-01'),
(3, 'J35', 1, '2024-01-18'),
(4, 'I50', 1, '2024-03-05'),
(4, 'I20', 0, '2024-03-06'),
(5, 'M16', 1, '2024-03-08');

-- --------------------------------------------------------

--
-- Table structure for table `medications`
--

CREATE TABLE `medications` (
  `id` int(10) UNSIGNED NOT NULL,
  `name` varchar(80) NOT NULL,
  `form` enum('tablet','injection','syrup','infusion') NOT NULL,
  `strength_mg` decimal(8,2) DEFAULT NULL,
  `stock_units` int(11) NOT NULL DEFAULT 0
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `medications` (`id`, `name`, `form`, `strength_mg`, `stock_units`) VALUES
(1, 'Metoprolol', 'tablet', '50.00', 1200),
(2, 'Paracetamol', 'tablet', '500.00', 8400),
(3, 'Amoxicillin', 'syrup', '250.00', 310),
(4, 'Furosemide', 'injection', '20.00', 260),
(5, 'Enoxaparin', 'injection', '40.00', 540);

-- --------------------------------------------------------

--
-- Table structure for table `prescriptions`
--

CREATE TABLE `prescriptions` (
  `id` int(10) UNSIGNED NOT NULL,
  `admission_id` int(10) UNSIGNED NOT NULL,
  `medication_id` int(10) UNSIGNED NOT NULL,
  `prescriber_id` int(10) UNSIGNED NOT NULL,
  `doses_per_day` tinyint(3) UNSIGNED NOT NULL,
  `starts_on` date NOT NULL,
  `ends_on` date DEFAULT NULL,
  `instructions` text DEFAULT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `prescriptions` (`id`, `admission_id`, `medication_id`, `prescriber_id`, `doses_per_day`, `starts_on`, `ends_on`, `instructions`) VALUES
(1, 1, 1, 1, 2, '2024-02-26', NULL, 'Check the pulse before each dose'),
(2, 2, 2, 2, 4, '2024-03-01', '2024-03-08', NULL),
(3, 2, 5, 2, 1, '2024-03-01', NULL, 'Abdominal wall, alternate sides'),
(4, 3, 3, 3, 3, '2024-01-18', '2024-01-25', 'After meals'),
(5, 4, 4, 1, 2, '2024-03-05', NULL, 'Measure urine output'),
(6, 5, 5, 2, 1, '2024-03-08', NULL, NULL);

--
-- Indexes for dumped tables
--

ALTER TABLE `wards`
  ADD PRIMARY KEY (`id`),
  ADD UNIQUE KEY `wards_name_unique` (`name`),
  ADD KEY `head_nurse_id` (`head_nurse_id`);

ALTER TABLE `beds`
  ADD PRIMARY KEY (`ward_id`,`bed_number`);

ALTER TABLE `staff`
  ADD PRIMARY KEY (`id`),
  ADD UNIQUE KEY `staff_email_unique` (`email`),
  ADD KEY `ward_id` (`ward_id`),
  ADD KEY `supervisor_id` (`supervisor_id`);

ALTER TABLE `patients`
  ADD PRIMARY KEY (`id`),
  ADD UNIQUE KEY `record_number` (`record_number`);

ALTER TABLE `admissions`
  ADD PRIMARY KEY (`id`),
  ADD KEY `patient_id` (`patient_id`),
  ADD KEY `ward_bed` (`ward_id`,`bed_number`);

ALTER TABLE `diagnoses`
  ADD PRIMARY KEY (`code`);

ALTER TABLE `admission_diagnoses`
  ADD PRIMARY KEY (`admission_id`,`diagnosis_code`);

ALTER TABLE `medications`
  ADD PRIMARY KEY (`id`),
  ADD UNIQUE KEY `name_form_strength` (`name`,`form`,`strength_mg`);

ALTER TABLE `prescriptions`
  ADD PRIMARY KEY (`id`);

--
-- AUTO_INCREMENT for dumped tables
--

ALTER TABLE `wards`
  MODIFY `id` int(10) UNSIGNED NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=5;

ALTER TABLE `staff`
  MODIFY `id` int(10) UNSIGNED NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=8;

ALTER TABLE `patients`
  MODIFY `id` int(10) UNSIGNED NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=7;

ALTER TABLE `admissions`
  MODIFY `id` int(10) UNSIGNED NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=7;

ALTER TABLE `medications`
  MODIFY `id` int(10) UNSIGNED NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=6;

ALTER TABLE `prescriptions`
  MODIFY `id` int(10) UNSIGNED NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=7;

--
-- Constraints for dumped tables
--

ALTER TABLE `wards`
  ADD CONSTRAINT `wards_head_nurse_fk` FOREIGN KEY (`head_nurse_id`) REFERENCES `staff` (`id`) ON DELETE SET NULL;

ALTER TABLE `beds`
  ADD CONSTRAINT `beds_ward_fk` FOREIGN KEY (`ward_id`) REFERENCES `wards` (`id`) ON DELETE CASCADE;

ALTER TABLE `staff`
  ADD CONSTRAINT `staff_ward_fk` FOREIGN KEY (`ward_id`) REFERENCES `wards` (`id`) ON DELETE SET NULL ON UPDATE CASCADE,
  ADD CONSTRAINT `staff_supervisor_fk` FOREIGN KEY (`supervisor_id`) REFERENCES `staff` (`id`);

ALTER TABLE `admissions`
  ADD CONSTRAINT `admissions_patient_fk` FOREIGN KEY (`patient_id`) REFERENCES `patients` (`id`),
  ADD CONSTRAINT `admissions_bed_fk` FOREIGN KEY (`ward_id`,`bed_number`) REFERENCES `beds` (`ward_id`,`bed_number`),
  ADD CONSTRAINT `admissions_ward_fk` FOREIGN KEY (`ward_id`) REFERENCES `wards` (`id`),
  ADD CONSTRAINT `admissions_attending_fk` FOREIGN KEY (`attending_id`) REFERENCES `staff` (`id`);

ALTER TABLE `diagnoses`
  ADD CONSTRAINT `diagnoses_parent_fk` FOREIGN KEY (`parent_code`) REFERENCES `diagnoses` (`code`);

ALTER TABLE `admission_diagnoses`
  ADD CONSTRAINT `admission_diagnoses_admission_fk` FOREIGN KEY (`admission_id`) REFERENCES `admissions` (`id`) ON DELETE CASCADE,
  ADD CONSTRAINT `admission_diagnoses_code_fk` FOREIGN KEY (`diagnosis_code`) REFERENCES `diagnoses` (`code`);

ALTER TABLE `prescriptions`
  ADD CONSTRAINT `prescriptions_admission_fk` FOREIGN KEY (`admission_id`) REFERENCES `admissions` (`id`) ON DELETE CASCADE,
  ADD CONSTRAINT `prescriptions_medication_fk` FOREIGN KEY (`medication_id`) REFERENCES `medications` (`id`),
  ADD CONSTRAINT `prescriptions_prescriber_fk` FOREIGN KEY (`prescriber_id`) REFERENCES `staff` (`id`);
COMMIT;

/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
